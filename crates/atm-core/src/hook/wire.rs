//! A hook payload exactly as sent: a JSON object whose fields are looked at one by one, so that
//! an unknown field, a wrong type or a new version costs that field and never the event.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

#[derive(Debug)]
pub struct WireHook<'a>(BTreeMap<Key<'a>, &'a RawValue>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> WireHook<'a> {
    /// Fails only if `json` is no JSON object. Of duplicate keys the last one counts.
    pub fn decode(json: &'a str) -> Result<WireHook<'a>, serde_json::Error> {
        serde_json::from_str(json).map(WireHook)
    }

    pub fn raw(&self, field: &str) -> Option<&'a str> {
        self.0.get(&Key(Cow::Borrowed(field))).map(|value| value.get())
    }

    /// The field's value if it is there and of this type.
    pub fn get<T: DeserializeOwned>(&self, field: &str) -> Option<T> {
        serde_json::from_str(self.raw(field)?).ok()
    }

    /// A string field that is not empty.
    pub fn text(&self, field: &str) -> Option<String> {
        self.get::<String>(field).filter(|text| !text.is_empty())
    }

    /// A string one level down, such as `tool_response.agentId`.
    pub fn text_in(&self, field: &str, inner: &str) -> Option<String> {
        WireHook::decode(self.raw(field)?).ok()?.text(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_field_of_a_wrong_type_is_absent_and_the_rest_stays() {
        let wire = WireHook::decode(r#"{"prompt":7,"cwd":"/p","source":null}"#).unwrap();
        assert_eq!(wire.text("prompt"), None);
        assert_eq!(wire.text("source"), None);
        assert_eq!(wire.text("cwd").as_deref(), Some("/p"));
    }

    #[test]
    fn wire_duplicate_and_escaped_keys_are_accepted() {
        let wire = WireHook::decode(r#"{"cwd":"/a","c\u0077d":"/b"}"#).unwrap();
        assert_eq!(wire.text("cwd").as_deref(), Some("/b"));
    }

    #[test]
    fn wire_of_anything_but_an_object_is_refused() {
        for json in ["", "[]", "7", "\"x\"", "{", "null"] {
            assert!(WireHook::decode(json).is_err(), "{json}");
        }
    }
}
