//! The table of options as a JSON Schema (2020-12), for editors.

use serde_json::{Map, Value, json};

use super::colour;
use super::kind::{Kind, Opt, TEXT_MAX};

const SPAN: &str = "^([0-9]+(ms|s|m|h|d)?)+$";
const SIZE: &str = "^[0-9]+ *([kKmMgGtT][iI]?)?[bB]$";

pub(super) fn schema(options: &[Opt]) -> Value {
    let mut all = object(options);
    let head = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The configuration of atm",
    });
    if let (Value::Object(all), Value::Object(head)) = (&mut all, head) {
        all.extend(head);
    }
    all
}

fn object(rows: &[Opt]) -> Value {
    let properties = rows.iter().map(|row| (row.key.to_owned(), property(row)));
    json!({
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "additionalProperties": false,
    })
}

fn property(row: &Opt) -> Value {
    let mut schema = value(&row.kind);
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), row.help.replace('\n', " ").into());
        if let Some(default) = row.kind.default() {
            schema.insert("default".to_owned(), default);
        }
    }
    schema
}

fn value(kind: &Kind) -> Value {
    match *kind {
        Kind::Bool(_) => json!({"type": "boolean"}),
        Kind::Integer { min, max, .. } => {
            json!({"type": "integer", "minimum": min, "maximum": max})
        }
        Kind::Text(_) => json!({"type": "string", "maxLength": TEXT_MAX}),
        Kind::Choice { of, .. } => json!({"type": "string", "enum": of}),
        Kind::Span { .. } => json!({"type": "string", "pattern": SPAN}),
        Kind::Size { .. } => json!({"type": "string", "pattern": SIZE}),
        Kind::Colour(_) => json!({"type": "string", "pattern": colour::PATTERN}),
        Kind::List { of, .. } => json!({"type": "array", "items": value(of)}),
        Kind::Table(rows) => object(rows),
        Kind::Named(rows) => json!({"type": "object", "additionalProperties": object(rows)}),
        Kind::Array(rows) => json!({"type": "array", "items": object(rows)}),
    }
}
