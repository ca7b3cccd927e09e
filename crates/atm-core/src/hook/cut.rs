//! Makes any hook payload small while it streams in: long strings and large values are cut, the
//! shape stays JSON, and no more than a bounded part is ever held. It copies and leaves out, but
//! does not judge: broken JSON stays broken, and the caller finds that out by parsing the result.
//!
//! Two things are changed beside the cuts, both without changing any length: a line break between
//! tokens becomes a space (a journal record is one line), and the escape of a surrogate without
//! its partner becomes `\ufffd` (JavaScript writes such strings, Rust's decoders refuse them).

mod block;

use block::{BLOCK, Escapes, between, brackets};

/// Raw bytes kept of one string.
pub const STRING_MAX: usize = 4096;
/// Output after which a member of the payload is cut at its next comma or bracket.
pub const VALUE_MAX: usize = 32 * 1024;
/// Deeper containers become `null`.
pub const DEPTH_MAX: usize = 100;
/// Bound of the whole output.
pub const OUTPUT_MAX: usize = 256 * 1024;
/// Raw bytes kept of the beginning, for payloads that turn out to be no JSON.
pub const HEAD_MAX: usize = 1024;

/// Output after which further containers become `null`, so that later members still fit.
const CONTAINERS_END: usize = 192 * 1024;
/// Output after which further members of the payload are left out.
const MEMBERS_END: usize = 240 * 1024;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Empty if the input had a token so long that it could not be kept within [`OUTPUT_MAX`].
    pub json: Vec<u8>,
    pub input_bytes: u64,
    /// Bytes of the input that are not in `json`.
    pub cut_bytes: u64,
    pub head: Vec<u8>,
}

/// Feed it with [`push`](Cutter::push) in pieces of any size; the result does not depend on them.
#[derive(Debug, Default)]
pub struct Cutter {
    cut: Cut,
    depth: usize,
    /// Where the current member of the payload begins in the output.
    member: usize,
    text: Option<Text>,
    skip: Option<Skip>,
    room: Room,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Room {
    #[default]
    Left,
    Exhausted,
}

/// An open string.
#[derive(Debug)]
struct Text {
    /// Where its content begins in the output.
    start: usize,
    /// Raw bytes seen of it.
    len: usize,
    escapes: Escapes,
}

/// A part that is left out, up to the bracket that closes it.
#[derive(Debug)]
struct Skip {
    /// Containers opened inside of the part.
    open: usize,
    closer: Closer,
    /// All ones inside of a string.
    in_text: u64,
    escapes: Escapes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closer {
    /// The bracket ends a container whose beginning was kept.
    Keep,
    /// The bracket belongs to the container that was replaced.
    Drop,
}

impl Skip {
    fn new(closer: Closer) -> Skip {
        Skip { open: 0, closer, in_text: 0, escapes: Escapes::default() }
    }

    /// Where the closing bracket is; `None` if all of `rest` is left out.
    fn find_end(&mut self, rest: &[u8]) -> Option<usize> {
        let (blocks, tail) = rest.as_chunks::<BLOCK>();
        for (number, block) in blocks.iter().enumerate() {
            if let Some(at) = self.find_end_in_block(block) {
                return Some(number * BLOCK + at);
            }
        }
        self.find_end_by_bytes(tail).map(|at| rest.len() - tail.len() + at)
    }

    fn find_end_in_block(&mut self, block: &[u8; BLOCK]) -> Option<usize> {
        let inside = between(self.escapes.free_quotes(block)) ^ self.in_text;
        self.in_text = if inside >> 63 == 1 { u64::MAX } else { 0 };
        let mut left = brackets(block) & !inside;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            if self.is_end(block[at]) {
                return Some(at);
            }
            left &= left - 1;
        }
        None
    }

    fn find_end_by_bytes(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            if self.escapes.is_free_quote(*byte) {
                self.in_text = !self.in_text;
            } else if self.in_text == 0 && self.is_end(*byte) {
                return Some(at);
            }
        }
        None
    }

    /// Keeps count of brackets outside of strings.
    fn is_end(&mut self, byte: u8) -> bool {
        match (byte, self.open) {
            (b'{' | b'[', _) => self.open += 1,
            (b'}' | b']', 0) => return true,
            (b'}' | b']', _) => self.open -= 1,
            _ => {}
        }
        false
    }
}

impl Cutter {
    pub fn push(&mut self, piece: &[u8]) {
        self.cut.input_bytes += piece.len() as u64;
        let head = HEAD_MAX.saturating_sub(self.cut.head.len()).min(piece.len());
        self.cut.head.extend_from_slice(&piece[..head]);
        let mut rest = piece;
        while !rest.is_empty() && self.room == Room::Left {
            let used = if self.text.is_some() {
                self.pass_text(rest)
            } else if self.skip.is_some() {
                self.pass_skipped(rest)
            } else {
                self.pass_tokens(rest)
            };
            rest = &rest[used..];
        }
    }

    pub fn finish(mut self) -> Cut {
        if self.room == Room::Exhausted {
            self.cut.json = Vec::new();
            self.cut.cut_bytes = self.cut.input_bytes;
        }
        self.cut
    }

    fn emit(&mut self, bytes: &[u8]) {
        if self.cut.json.len() + bytes.len() > OUTPUT_MAX {
            self.room = Room::Exhausted;
        } else {
            self.cut.json.extend_from_slice(bytes);
        }
    }

    fn drop_bytes(&mut self, count: usize) {
        self.cut.cut_bytes += count as u64;
    }

    fn is_over_budget(&self) -> bool {
        let len = self.cut.json.len();
        self.depth > 0 && (len - self.member > VALUE_MAX || len > CONTAINERS_END)
    }

    fn pass_tokens(&mut self, rest: &[u8]) -> usize {
        let plain = rest.iter().position(|b| is_structural(*b)).unwrap_or(rest.len());
        if plain > 0 {
            self.emit(&rest[..plain]);
            return plain;
        }
        match rest[0] {
            b'"' => self.open_text(),
            open @ (b'{' | b'[') => self.open_container(open),
            close @ (b'}' | b']') => {
                self.emit(&[close]);
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.pass_comma(),
            _ if self.is_over_budget() => self.drop_bytes(1),
            b'\n' | b'\r' => self.emit(b" "),
            blank => self.emit(&[blank]),
        }
        1
    }

    fn open_container(&mut self, bracket: u8) {
        if self.depth >= DEPTH_MAX || self.is_over_budget() {
            self.emit(b"null");
            self.drop_bytes(1);
            self.skip = Some(Skip::new(Closer::Drop));
            return;
        }
        self.emit(&[bracket]);
        self.depth += 1;
        if self.depth == 1 {
            self.member = self.cut.json.len();
        }
    }

    fn pass_comma(&mut self) {
        let is_full =
            if self.depth == 1 { self.cut.json.len() > MEMBERS_END } else { self.is_over_budget() };
        if is_full {
            self.drop_bytes(1);
            self.skip = Some(Skip::new(Closer::Keep));
            return;
        }
        self.emit(b",");
        if self.depth == 1 {
            self.member = self.cut.json.len();
        }
    }

    fn pass_skipped(&mut self, rest: &[u8]) -> usize {
        let Some(mut skip) = self.skip.take() else { return 0 };
        let used = match skip.find_end(rest) {
            Some(end) => end + usize::from(skip.closer == Closer::Drop),
            None => {
                self.skip = Some(skip);
                rest.len()
            }
        };
        self.drop_bytes(used);
        used
    }

    fn open_text(&mut self) {
        self.emit(b"\"");
        let start = self.cut.json.len();
        self.text = Some(Text { start, len: 0, escapes: Escapes::default() });
    }

    fn pass_text(&mut self, rest: &[u8]) -> usize {
        let Some(mut text) = self.text.take() else { return 0 };
        let end = closing_quote(rest, &mut text.escapes);
        let run = &rest[..end.unwrap_or(rest.len())];
        let room = STRING_MAX.saturating_sub(text.len).min(run.len());
        self.emit(&run[..room]);
        text.len += run.len();
        match end {
            Some(at) => {
                self.close_text(&text);
                at + 1
            }
            None => {
                self.text = Some(text);
                rest.len()
            }
        }
    }

    fn close_text(&mut self, text: &Text) {
        let content = &mut self.cut.json[text.start..];
        if text.len > STRING_MAX {
            let kept = whole_prefix(content);
            mend_surrogates(&mut content[..kept]);
            self.cut.json.truncate(text.start + kept);
            self.drop_bytes(text.len - kept);
            self.emit(format!(" …[cut: kept {kept} of {} bytes]", text.len).as_bytes());
        } else {
            mend_surrogates(content);
        }
        self.emit(b"\"");
    }
}

fn is_structural(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',' | b' ' | b'\t' | b'\n' | b'\r')
}

fn closing_quote(run: &[u8], escapes: &mut Escapes) -> Option<usize> {
    let (blocks, tail) = run.as_chunks::<BLOCK>();
    for (number, block) in blocks.iter().enumerate() {
        let quotes = escapes.free_quotes(block);
        if quotes != 0 {
            return Some(number * BLOCK + quotes.trailing_zeros() as usize);
        }
    }
    let at = tail.iter().position(|byte| escapes.is_free_quote(*byte))?;
    Some(run.len() - tail.len() + at)
}

/// What a backslash begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    Short,
    Unit,
    Pair,
    LoneSurrogate,
}

impl Escape {
    fn at(text: &[u8]) -> Escape {
        let next = || text.get(6..).and_then(unit);
        match unit(text) {
            None => Escape::Short,
            Some(0xD800..=0xDBFF) if matches!(next(), Some(0xDC00..=0xDFFF)) => Escape::Pair,
            Some(0xD800..=0xDFFF) => Escape::LoneSurrogate,
            Some(_) => Escape::Unit,
        }
    }

    fn width(self) -> usize {
        match self {
            Escape::Short => 2,
            Escape::Unit | Escape::LoneSurrogate => 6,
            Escape::Pair => 12,
        }
    }
}

/// The UTF-16 unit of a `\uXXXX` at the beginning of `text`.
fn unit(text: &[u8]) -> Option<u32> {
    text.strip_prefix(b"\\u")?
        .get(..4)?
        .iter()
        .try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// Length of the longest part of `text` that ends at a character and not within an escape. A
/// surrogate at the very end is left out, as its partner may be the first thing that is cut.
fn whole_prefix(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = next_escape(text, at) {
        let escape = Escape::at(&text[found..]);
        let width = match escape {
            Escape::Short if text.get(found + 1) == Some(&b'u') => 6,
            Escape::LoneSurrogate => 12,
            Escape::Short | Escape::Unit | Escape::Pair => escape.width(),
        };
        if text.len() - found < width {
            return found;
        }
        at = found + escape.width();
    }
    text.len() - partial_char(text)
}

/// Length of the unfinished UTF-8 sequence at the end of `text`.
fn partial_char(text: &[u8]) -> usize {
    let last = text.iter().rev().take(4).position(|b| *b & 0xC0 != 0x80);
    let Some(back) = last.map(|at| at + 1) else { return 0 };
    let width = match text[text.len() - back] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    if back < width { back } else { 0 }
}

fn mend_surrogates(text: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = next_escape(text, at) {
        let escape = Escape::at(&text[found..]);
        if escape == Escape::LoneSurrogate {
            text[found..found + 6].copy_from_slice(b"\\ufffd");
        }
        at = found + escape.width();
    }
}

fn next_escape(text: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.iter().position(|b| *b == b'\\').map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn cut(input: &[u8]) -> Cut {
        cut_in_pieces(input, &[input.len().max(1)])
    }

    fn cut_in_pieces(input: &[u8], sizes: &[usize]) -> Cut {
        let mut cutter = Cutter::default();
        let (mut rest, mut sizes) = (input, sizes.iter().cycle());
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            cutter.push(piece);
            rest = tail;
        }
        cutter.finish()
    }

    fn value(cut: &Cut) -> Value {
        serde_json::from_slice(&cut.json).unwrap_or_else(|e| {
            panic!("{e}: {}", String::from_utf8_lossy(&cut.json[..cut.json.len().min(300)]))
        })
    }

    /// Cuts a string of `fill` letters, then `tail`, then enough to be too long.
    fn check_text(fill: usize, tail: &str, kept: &str) {
        let raw = format!("{}{tail}{}", "x".repeat(fill), "y".repeat(5000));
        let expected = format!(
            r#"{{"a":"{}{kept} …[cut: kept {} of {} bytes]","b":1}}"#,
            "x".repeat(fill),
            fill + kept.len(),
            raw.len(),
        );
        let input = format!(r#"{{"a":"{raw}","b":1}}"#);
        for size in [1, 7, 64 * 1024] {
            let cut = cut_in_pieces(input.as_bytes(), &[size]);
            assert_eq!(String::from_utf8_lossy(&cut.json), expected, "{tail} in pieces of {size}");
            assert_eq!(cut.cut_bytes, (raw.len() - fill - kept.len()) as u64, "{tail}");
        }
    }

    #[test]
    fn text_too_long_is_cut_between_characters_and_escapes() {
        check_text(4096, "", "");
        check_text(4095, "é", "");
        check_text(4094, "é", "é");
        check_text(4093, "🦀", "");
        check_text(4092, "🦀", "🦀");
        check_text(4095, r"\n", "");
        check_text(4094, r"\n", r"\n");
        check_text(4095, r"\\", "");
        check_text(4094, r"\\", r"\\");
        check_text(4095, r#"\""#, "");
        check_text(4091, r"\u00e9", "");
        check_text(4090, r"\u00e9", r"\u00e9");
    }

    #[test]
    fn text_too_long_is_never_cut_between_surrogates() {
        for fill in 4085..=4095 {
            check_text(fill, r"\ud83e\udd80", "");
        }
        check_text(4084, r"\ud83e\udd80", r"\ud83e\udd80");
    }

    #[test]
    fn text_of_exactly_the_limit_is_kept() {
        let input = format!(r#"{{"a":"{}"}}"#, "x".repeat(STRING_MAX));
        assert_eq!(cut(input.as_bytes()).json, input.as_bytes());
    }

    #[test]
    fn surrogate_without_partner_becomes_the_replacement_character() {
        let check = |raw: &str, mended: &str| {
            let out = cut(format!(r#"{{"a":"{raw}"}}"#).as_bytes());
            assert_eq!(String::from_utf8_lossy(&out.json), format!(r#"{{"a":"{mended}"}}"#));
            assert_eq!(out.cut_bytes, 0);
        };
        check(r"\ud83e\udd80", r"\ud83e\udd80");
        check(r"\ud83e", r"\ufffd");
        check(r"x\ud83e\n\udd80\u0041", r"x\ufffd\n\ufffd\u0041");
        check(r"\ud83e\ud83e\udd80", r"\ufffd\ud83e\udd80");
        check(r"\\ud83e", r"\\ud83e");
    }

    #[test]
    fn line_breaks_between_tokens_become_spaces() {
        assert_eq!(cut(b"{\r\n\t\"a\": 1\n}").json, b"{  \t\"a\": 1 }");
    }

    #[test]
    fn write_of_a_megabyte_keeps_every_member() {
        let content = "let crab = \"🦀\";\n".repeat(60_000);
        let input = json!({
            "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Write",
            "tool_input": {"file_path": "/a", "content": content},
            "tool_response": {"type": "create", "content": content, "structuredPatch": []},
            "tool_use_id": "toolu_1", "duration_ms": 12,
        });
        let out = cut(input.to_string().as_bytes());
        let result = value(&out);
        assert!(out.json.len() < 10_000);
        assert_eq!(result["tool_use_id"], "toolu_1");
        assert_eq!(result["tool_response"]["structuredPatch"], json!([]));
        assert_eq!(result["tool_input"]["file_path"], "/a");
        let shown = result["tool_input"]["content"].as_str().unwrap();
        assert!(shown.starts_with("let crab = \"🦀\";\n") && shown.ends_with(" bytes]"), "{shown}");
    }

    #[test]
    fn member_with_many_elements_is_cut_at_an_element() {
        let rows: Vec<Value> = (0..20_000).map(|n| json!({"n": n, "tags": ["a", "b"]})).collect();
        let out = cut(json!({"a": {"rows": rows, "more": 1}, "z": 2}).to_string().as_bytes());
        let result = value(&out);
        assert_eq!(result["z"], 2);
        assert!(out.json.len() < VALUE_MAX + 200);
        let kept = result["a"]["rows"].as_array().unwrap();
        assert_eq!(kept[..kept.len() - 1], rows[..kept.len() - 1]);
    }

    #[test]
    fn nesting_too_deep_ends_in_null() {
        let deep = format!(r#"{{"a":{}{},"b":1}}"#, "[".repeat(5000), "]".repeat(5000));
        let result = value(&cut(deep.as_bytes()));
        assert_eq!(result["b"], 1);
        let mut depth = 1;
        let mut inner = &result["a"];
        while let Some(next) = inner.get(0) {
            (depth, inner) = (depth + 1, next);
        }
        assert_eq!((depth, inner), (DEPTH_MAX, &Value::Null));
    }

    #[test]
    fn nesting_with_long_keys_stays_bounded() {
        let key = "k".repeat(4000);
        let deep = format!("{}1{}", format!(r#"{{"{key}":"#).repeat(90), "}".repeat(90));
        let out = cut(deep.as_bytes());
        assert!(value(&out).is_object());
        assert!(out.json.len() < VALUE_MAX + 10_000);
    }

    #[test]
    fn members_beyond_the_whole_budget_keep_scalars_first() {
        let big: Vec<String> = vec!["x".repeat(4000); 20];
        let many: Map<String, Value> = (0..9).map(|n| (format!("a{n}"), json!(big))).collect();
        let mut many = Value::Object(many);
        many["z"] = json!("last");
        let result = value(&cut(many.to_string().as_bytes()));
        assert_eq!((&result["a8"], &result["z"]), (&Value::Null, &json!("last")));
    }

    #[test]
    fn token_without_end_gives_up() {
        let out = cut(format!(r#"{{"a":{}}}"#, "1".repeat(OUTPUT_MAX)).as_bytes());
        assert_eq!((out.json.len(), out.cut_bytes), (0, out.input_bytes));
        assert_eq!(out.head.len(), HEAD_MAX);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    fn any_sizes() -> impl Strategy<Value = Vec<usize>> {
        prop::collection::vec(1..40usize, 1..8)
    }

    fn any_json_like() -> impl Strategy<Value = Vec<u8>> {
        let long = "y".repeat(STRING_MAX - 3).into_bytes();
        let token = prop_oneof![
            prop::sample::select(b"{}[],:\"\\ \n1eu\xff\xc3\xa9".to_vec()).prop_map(|b| vec![b]),
            Just(br"\ud83e".to_vec()),
            Just(br#""a":"#.to_vec()),
            Just(long),
        ];
        prop::collection::vec(token, 0..300).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn garbage_in_any_pieces_is_bounded(input in any_json_like(), sizes in any_sizes()) {
            let whole = cut(&input);
            prop_assert!(whole.json.len() <= OUTPUT_MAX);
            prop_assert_eq!(whole.input_bytes, input.len() as u64);
            prop_assert_eq!(cut_in_pieces(&input, &sizes), whole);
        }

        #[test]
        fn small_json_in_any_pieces_is_unchanged(input in any_value(), sizes in any_sizes()) {
            let compact = input.to_string();
            prop_assert_eq!(cut_in_pieces(compact.as_bytes(), &sizes).json, compact.as_bytes());
            let pretty = serde_json::to_string_pretty(&input).unwrap();
            let out = cut_in_pieces(pretty.as_bytes(), &sizes);
            prop_assert_eq!(out.json, pretty.replace('\n', " ").into_bytes());
            prop_assert_eq!(out.cut_bytes, 0);
        }

        #[test]
        fn long_json_stays_json_and_keeps_its_members(
            members in prop::collection::btree_map("[a-z\"\\\\é]{1,9}", any_value(), 1..8),
            long in prop::collection::vec(("[a-z\"\\\\é🦀]{1,9}", 100..3000usize), 1..8),
            sizes in prop::collection::vec(1..70_000usize, 1..4),
        ) {
            let mut object: Map<String, Value> = members.into_iter().collect();
            for (at, (text, times)) in long.into_iter().enumerate() {
                let text = text.repeat(times);
                object.insert(format!("long{at}"), json!({"text": [text, {"again": text}], "end": 1}));
            }
            let object = Value::Object(object);
            let result = value(&cut_in_pieces(object.to_string().as_bytes(), &sizes));
            let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            prop_assert_eq!(keys(&result), keys(&object));
            prop_assert_eq!(&result["long0"]["end"], 1);
        }
    }
}
