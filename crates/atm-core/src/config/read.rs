//! A text against the table of options. What is wrong is told and passed over: the result is
//! always whole.

use std::ffi::OsString;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::kind::{Kind, Opt, is_plain, quoted};
use super::nearest::nearest;
use super::node::{Node, Origin, join, to_toml};
use super::problem::{At, Problem};

/// Longest name that a user may give to a table, in characters.
const NAME_MAX: usize = 64;
/// Tables of one kind, and problems, that are looked at: enough for people, and a file full of
/// nonsense costs no more.
const TABLES_MAX: usize = 500;
const PROBLEMS_MAX: usize = 100;

pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

pub(super) struct Reader<'a> {
    pub(super) options: &'static [Opt],
    pub(super) env: Env<'a>,
    pub(super) text: &'a str,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn read(&mut self) -> Node {
        // Editors of Windows begin a file with this mark.
        let body = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        self.text = body;
        match DeTable::parse(body) {
            Ok(table) => self.table(self.options, Some(table.get_ref()), ""),
            Err(error) => {
                let start = error.span().map_or(0, |span| span.start);
                let message = format!(
                    "this is not TOML ({}); nothing of the file is used",
                    crate::text::clean(error.message(), 200)
                );
                self.problem(start, "", message);
                self.table(self.options, None, "")
            }
        }
    }

    fn table(&mut self, rows: &'static [Opt], found: Option<&DeTable<'_>>, path: &str) -> Node {
        if let Some(found) = found {
            for key in found.keys() {
                if !rows.iter().any(|row| row.key == key.get_ref().as_ref()) {
                    self.unknown(key.span().start, key.get_ref(), rows, path);
                }
            }
        }
        let node = |row: &Opt| {
            let value = found.and_then(|found| found.get(row.key));
            (row.key.to_owned(), self.row(row, value, &join(path, row.key)))
        };
        Node::Table(rows.iter().map(node).collect())
    }

    fn row(&mut self, row: &Opt, found: Option<&Spanned<DeValue<'_>>>, path: &str) -> Node {
        let table = found.and_then(|found| found.get_ref().as_table());
        let array = found.and_then(|found| found.get_ref().as_array());
        let (node, fits) = match row.kind {
            Kind::Table(rows) => (self.table(rows, table, path), table.is_some()),
            Kind::Named(rows) => {
                let tables = table.map(|table| self.named(rows, table, path));
                (Node::Table(tables.unwrap_or_default()), table.is_some())
            }
            Kind::Array(rows) => {
                let tables = array.map(|items| self.array(rows, items, path));
                (Node::Array(tables.unwrap_or_default()), array.is_some())
            }
            Kind::Bool(_) | Kind::Integer { .. } | Kind::Text(_) | Kind::Choice { .. } => {
                return self.value(row, found, path);
            }
            Kind::Span { .. } | Kind::Size { .. } | Kind::Colour(_) | Kind::List { .. } => {
                return self.value(row, found, path);
            }
        };
        if let Some(found) = found.filter(|_| !fits) {
            self.wrong(found, path, &row.kind);
        }
        node
    }

    fn named(
        &mut self,
        rows: &'static [Opt],
        found: &DeTable<'_>,
        path: &str,
    ) -> Vec<(String, Node)> {
        let mut tables: Vec<(String, usize, Node)> = Vec::new();
        for (name, value) in found.iter().take(TABLES_MAX) {
            let inner = join(path, name.get_ref());
            if !is_plain(name.get_ref(), NAME_MAX) {
                let message = format!(
                    "a name has at most {NAME_MAX} characters, none of them a control character"
                );
                self.problem(name.span().start, path, message);
            } else if let Some(table) = value.get_ref().as_table() {
                let node = self.table(rows, Some(table), &inner);
                tables.push((name.get_ref().to_string(), name.span().start, node));
            } else {
                self.wrong(value, &inner, &Kind::Table(rows));
            }
        }
        self.check_count(found.len(), path);
        tables.sort_by_key(|(_, at, _)| *at);
        tables.into_iter().map(|(name, _, node)| (name, node)).collect()
    }

    fn array(
        &mut self,
        rows: &'static [Opt],
        items: &[Spanned<DeValue<'_>>],
        path: &str,
    ) -> Vec<Node> {
        let mut tables = Vec::new();
        for (at, item) in items.iter().enumerate().take(TABLES_MAX) {
            let inner = format!("{path}[{at}]");
            match item.get_ref().as_table() {
                Some(table) => tables.push(self.table(rows, Some(table), &inner)),
                None => self.wrong(item, &inner, &Kind::Table(rows)),
            }
        }
        self.check_count(items.len(), path);
        tables
    }

    fn check_count(&mut self, count: usize, path: &str) {
        if count > TABLES_MAX {
            let message = format!("{count} tables are too many; {TABLES_MAX} of them are used");
            self.problem(0, path, message);
        }
    }

    fn value(&mut self, row: &Opt, found: Option<&Spanned<DeValue<'_>>>, path: &str) -> Node {
        let is_on = |name: &str| (self.env)(name).is_some_and(|v| !v.is_empty() && v != "0");
        if let Some(name) = row.env.filter(|name| is_on(name)) {
            return Node::Value(true.into(), Origin::Env(name));
        }
        if let Some(found) = found {
            if let Some(value) = take(&row.kind, found.get_ref()) {
                let at = At::of(self.text, found.span().start);
                return Node::Value(value, Origin::File(at));
            }
            self.wrong(found, path, &row.kind);
        }
        Node::Value(row.kind.default().unwrap_or_default(), Origin::Default)
    }

    fn unknown(&mut self, offset: usize, key: &str, rows: &[Opt], path: &str) {
        if self.problems.len() >= PROBLEMS_MAX {
            return;
        }
        let here = nearest(key, rows.iter().map(|row| row.key)).map(|near| join(path, near));
        let meant = here.or_else(|| {
            // Perhaps the right key in the wrong table.
            let mut all = Vec::new();
            paths(self.options, "", &mut all);
            all.into_iter().find(|known| last(known) == key)
        });
        let message = match meant {
            Some(meant) => format!("no such option; did you mean {meant}?"),
            None if path.is_empty() && rows.iter().all(is_group) => {
                let names: Vec<String> = rows.iter().map(|row| format!("[{}]", row.key)).collect();
                format!("no such option; there are {}", names.join(", "))
            }
            None => "no such option; `atm config default` prints all".to_owned(),
        };
        self.problem(offset, &join(path, key), message);
    }

    fn wrong(&mut self, found: &Spanned<DeValue<'_>>, path: &str, kind: &Kind) {
        let (expected, found_instead) = (kind.expected(), told(found.get_ref()));
        let fallback = kind.default().map(|default| to_toml(&default));
        let fallback = fallback.map(|default| format!("; {default} is used, the default"));
        let fallback = fallback.unwrap_or_default();
        let message = format!("expected {expected}, found {found_instead}{fallback}");
        self.problem(found.span().start, path, message);
    }

    pub(super) fn problem(&mut self, offset: usize, key: &str, message: String) {
        if self.problems.len() >= PROBLEMS_MAX {
            return;
        }
        let at = At::of(self.text, offset);
        let key = crate::text::clean(key, 200);
        self.problems.push(Problem { at, key, message });
    }
}

fn take(kind: &Kind, found: &DeValue<'_>) -> Option<Value> {
    match (kind, found) {
        (Kind::Bool(_), DeValue::Boolean(is)) => Some((*is).into()),
        (Kind::Integer { min, max, .. }, DeValue::Integer(number)) => {
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            (*min..=*max).contains(&number).then(|| number.into())
        }
        (Kind::List { of, .. }, DeValue::Array(items)) => {
            let items: Option<Vec<Value>> =
                items.iter().map(|item| take(of, item.get_ref())).collect();
            items.map(Value::Array)
        }
        (kind, DeValue::String(text)) => kind.take_text(text),
        _ => None,
    }
}

fn told(found: &DeValue<'_>) -> String {
    match found {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(number) => crate::text::clean(&number.to_string(), 60),
        DeValue::Float(number) => crate::text::clean(number.as_str(), 60),
        DeValue::Boolean(is) => is.to_string(),
        DeValue::Datetime(_) => "a date or time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn is_group(row: &Opt) -> bool {
    matches!(row.kind, Kind::Table(_) | Kind::Named(_) | Kind::Array(_))
}

/// Every option whose key the table alone decides.
fn paths(rows: &[Opt], path: &str, all: &mut Vec<String>) {
    for row in rows {
        let path = join(path, row.key);
        if let Kind::Table(rows) = row.kind {
            paths(rows, &path, all);
        }
        all.push(path);
    }
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
