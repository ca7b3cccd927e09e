//! A settings text with its syntax tree and the place of every token. Only reads.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::SettingsError;

pub(super) struct Document<'a> {
    /// Without the byte order mark.
    pub(super) body: &'a str,
    /// `None` for a text of nothing but whitespace and comments.
    pub(super) root: Option<Object<'a>>,
    /// Comments included.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(body: &'a str) -> Result<Document<'a>, SettingsError> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(body, &collect, &dialect()).map_err(|error| {
            unparsable(body, error.range().start, &lower_first(&error.kind().to_string()))
        })?;
        let tokens = parsed.tokens.unwrap_or_default();
        check_characters(body, &tokens)?;
        let root = match parsed.value {
            None => None,
            Some(Value::Object(root)) => Some(root),
            Some(other) => return Err(wrong_kind(body, &other, "the file", "an object")),
        };
        Ok(Document { body, root, tokens })
    }

    pub(super) fn text(&self, range: Range) -> &'a str {
        &self.body[range.start..range.end]
    }

    /// `what` names the value in the user's words, `wanted` what it should be.
    pub(super) fn wrong_kind(&self, value: &Value<'_>, what: &str, wanted: &str) -> SettingsError {
        wrong_kind(self.body, value, what, wanted)
    }

    pub(super) fn line(&self, offset: usize) -> usize {
        position(self.body, offset).0
    }

    pub(super) fn tokens(&self) -> &[TokenAndRange<'a>] {
        &self.tokens
    }

    pub(super) fn tokens_from(&self, offset: usize) -> &[TokenAndRange<'a>] {
        &self.tokens[self.tokens.partition_point(|token| token.start() < offset)..]
    }

    pub(super) fn tokens_before(&self, offset: usize) -> &[TokenAndRange<'a>] {
        &self.tokens[..self.tokens.partition_point(|token| token.end() <= offset)]
    }

    /// The comma that ends the member which ends at `offset`.
    pub(super) fn comma_after(&self, offset: usize) -> Option<Range> {
        let next = self.tokens_from(offset).iter().find(|token| !is_comment(token))?;
        (next.token == Token::Comma).then_some(next.range)
    }

    pub(super) fn has_comment(&self, start: usize, end: usize) -> bool {
        self.tokens_from(start).iter().take_while(|token| token.end() <= end).any(is_comment)
    }

    /// The whitespace that the line around `offset` begins with.
    pub(super) fn indent_at(&self, offset: usize) -> &'a str {
        let line = &self.body[self.line_start(offset)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    pub(super) fn starts_line(&self, offset: usize) -> bool {
        let start = self.line_start(offset);
        start > 0 && self.body[start..offset].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    fn line_start(&self, offset: usize) -> usize {
        self.body[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1)
    }
}

/// The client takes the last of several equal keys.
pub(super) fn live<'o, 'a>(object: &'o Object<'a>, key: &str) -> Option<&'o ObjectProp<'a>> {
    object.properties.iter().rev().find(|prop| prop.name.as_str() == key)
}

pub(super) fn live_text<'o>(object: &'o Object<'_>, key: &str) -> Option<&'o str> {
    live(object, key)?.value.as_string_lit().map(|text| text.value.as_ref())
}

pub(super) fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

pub(super) fn breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

/// JSON with comments and trailing commas, nothing of JSON5.
fn dialect() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The parser is lenient about exotic whitespace and control characters; the client is not.
fn check_characters(body: &str, tokens: &[TokenAndRange<'_>]) -> Result<(), SettingsError> {
    let mut end = 0;
    for token in tokens {
        check_gap(body, end, token.start())?;
        end = token.end();
        if matches!(token.token, Token::String(_))
            && let Some(at) = body[token.start()..end].find(|c: char| c < ' ')
        {
            return Err(unparsable(body, token.start() + at, "control character in a string"));
        }
    }
    check_gap(body, end, body.len())
}

fn check_gap(body: &str, start: usize, end: usize) -> Result<(), SettingsError> {
    match body[start..end].find(|c| !is_space(c)) {
        Some(at) => Err(unparsable(body, start + at, "whitespace that JSON does not know")),
        None => Ok(()),
    }
}

fn unparsable(body: &str, offset: usize, message: &str) -> SettingsError {
    let (line, column) = position(body, offset);
    SettingsError::Unparsable { line, column, message: message.to_owned() }
}

fn wrong_kind(body: &str, value: &Value<'_>, what: &str, wanted: &str) -> SettingsError {
    let kind = match value {
        Value::StringLit(_) => "a text",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    };
    let (line, column) = position(body, value.start());
    SettingsError::NotAnObject { line, column, what: format!("{what} is {kind}, not {wanted}") }
}

fn position(body: &str, offset: usize) -> (usize, usize) {
    let before = &body[..offset];
    let lines = before.matches('\n').count();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (lines + 1, before[line_start..].chars().count() + 1)
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}
