//! Sizes as people type them: `256MiB`, `1GiB`, `500kB`.

const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

pub fn parse(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    let name = text[digits..].trim_start_matches(' ');
    let (_, unit) = UNITS.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(name))?;
    number.checked_mul(*unit)
}

/// In the largest unit that needs no fraction.
pub fn render(bytes: u64) -> String {
    let fits = |unit: u64| bytes > 0 && bytes.is_multiple_of(unit);
    let (name, unit) = UNITS.into_iter().find(|(_, unit)| fits(*unit)).unwrap_or(("B", 1));
    format!("{}{name}", bytes / unit)
}

/// For fields of serde: the text that people type.
pub mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::render(*bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        super::parse(&text).ok_or_else(|| Error::custom("not a size"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_parses_what_people_type() {
        let cases = [
            ("256MiB", Some(268_435_456)),
            ("1 GiB", Some(1_073_741_824)),
            ("500kb", Some(500_000)),
            ("7B", Some(7)),
            ("256", None),
            ("MiB", None),
            ("", None),
            ("1.5GiB", None),
            ("-1B", None),
            ("99999999TiB", None),
            ("5日", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse(text), bytes, "{text}");
        }
    }

    #[test]
    fn size_is_written_without_a_fraction() {
        let cases = [
            (0, "0B"),
            (268_435_456, "256MiB"),
            (500_000, "500kB"),
            (1_048_577, "1048577B"),
            (1 << 40, "1TiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!((render(bytes).as_str(), parse(text)), (text, Some(bytes)));
        }
    }
}
