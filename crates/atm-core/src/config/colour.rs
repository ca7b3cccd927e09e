//! Colours as tmux writes them. Nothing else gets through: they stand in styles of tmux.

use serde::{Deserialize, Serialize};

pub(super) const EXPECTED: &str =
    r##"a colour such as "#6699cc", "red", "brightblue", "colour208" or "default""##;

/// For the schema: the same as [`is_colour`], or empty.
pub(super) const PATTERN: &str = "^(|#[0-9a-fA-F]{6}|colou?r([0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])|\
     default|terminal|(bright)?(black|red|green|yellow|blue|magenta|cyan|white))$";

const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/// A colour that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Colour(String);

impl Colour {
    pub fn parse(text: &str) -> Option<Colour> {
        is_colour(text).then(|| Colour(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Colour {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Colour, &'static str> {
        if is_colour(&text) { Ok(Colour(text)) } else { Err(EXPECTED) }
    }
}

pub(super) fn is_colour(text: &str) -> bool {
    if let Some(hex) = text.strip_prefix('#') {
        return hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    }
    if let Some(number) = text.strip_prefix("colour").or_else(|| text.strip_prefix("color")) {
        // No leading zero, no sign: one spelling each.
        return number.parse::<u8>().is_ok_and(|n| n.to_string() == number);
    }
    matches!(text, "default" | "terminal")
        || NAMES.contains(&text.strip_prefix("bright").unwrap_or(text))
}

/// For fields of serde: empty if none is set.
pub mod optional {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Colour;

    pub fn serialize<S: Serializer>(colour: &Option<Colour>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(colour.as_ref().map_or("", Colour::as_str))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Colour>, D::Error> {
        match String::deserialize(from)? {
            text if text.is_empty() => Ok(None),
            text => Colour::try_from(text).map(Some).map_err(Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_colour;

    #[test]
    fn colours_are_those_that_tmux_knows() {
        for good in [
            "#6699cc",
            "#EC5f67",
            "red",
            "brightblack",
            "colour0",
            "colour255",
            "color7",
            "default",
            "terminal",
        ] {
            assert!(is_colour(good), "{good}");
        }
        for bad in [
            "",
            "#69c",
            "#6699cg",
            "#6699cc,bold",
            "rde",
            "brightdefault",
            "colour256",
            "colour",
            "colour-1",
            "colour007",
            "red]#[bold",
            "#{x}",
            " red",
            "#66日9",
        ] {
            assert!(!is_colour(bad), "{bad}");
        }
    }
}
