//! JSON for other programs: one value a line, every one with the schema version.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::error::CliError;

/// Writes `value` in one line.
pub(crate) fn line(out: &mut dyn Write, value: &impl Serialize) -> Result<(), CliError> {
    let mut bytes = Vec::with_capacity(1024);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Safe);
    value.serialize(&mut serializer).map_err(|e| CliError::failed("cannot encode JSON", &e))?;
    bytes.push(b'\n');
    Ok(out.write_all(&bytes)?)
}

/// Compact, and without a byte that a terminal would act on or that would end the line early.
struct Safe;

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        w: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_escaped(w, text)
    }

    /// Raw JSON: a line break can only be the space between its parts.
    fn write_raw_fragment<W: ?Sized + Write>(&mut self, w: &mut W, json: &str) -> io::Result<()> {
        if json.bytes().all(|byte| byte >= b' ') {
            return write_escaped(w, json);
        }
        write_escaped(w, &json.replace(|c: char| c < ' ', " "))
    }
}

/// DEL and the C1 controls as `\u…`; serde_json has seen to the others.
fn write_escaped<W: ?Sized + Write>(w: &mut W, text: &str) -> io::Result<()> {
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return w.write_all(text.as_bytes());
    }
    let mut rest = text;
    while let Some(at) = rest.find(char::is_control) {
        let (before, after) = rest.split_at(at);
        w.write_all(before.as_bytes())?;
        let mut chars = after.chars();
        if let Some(c) = chars.next() {
            write!(w, "\\u{:04x}", u32::from(c))?;
        }
        rest = chars.as_str();
    }
    w.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn text(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        line(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_escapes_every_control_character_and_loses_nothing() {
        let hostile = "a\x1b[31m\u{7f}\u{9b}\n日本";
        let line = text(&hostile);
        assert_eq!(line, "\"a\\u001b[31m\\u007f\\u009b\\n日本\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }

    #[test]
    fn json_of_a_raw_payload_stays_in_one_line() {
        let raw: Box<RawValue> =
            serde_json::from_str("{\n\t\"a\": \"\u{9b}\\n\",\r\n \"b\": 1.0 }").unwrap();
        assert_eq!(text(&raw), "{  \"a\": \"\\u009b\\n\",   \"b\": 1.0 }\n");
    }
}
