//! Narrowing the list by what was typed: every word must be found, loosely, in some text of a row.

use nucleo_matcher::pattern::{Atom, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::row::Row;

/// Where the name stands among the texts of a row: people look for names first.
const NAME: usize = 0;

pub(super) struct Matching {
    matcher: Matcher,
    buffer: Vec<char>,
}

impl Matching {
    pub(super) fn new() -> Matching {
        Matching { matcher: Matcher::new(Config::DEFAULT), buffer: Vec::new() }
    }

    /// The rows that fit, best first; among equals, and without a filter, in the order given.
    pub(super) fn narrow(&mut self, rows: Vec<Row>, filter: &str) -> Vec<Row> {
        let parse = |word| Atom::parse(word, CaseMatching::Smart, Normalization::Smart);
        let atoms: Vec<Atom> = filter.split_whitespace().map(parse).collect();
        if atoms.is_empty() {
            return rows;
        }
        let mut found: Vec<(u32, Row)> =
            rows.into_iter().filter_map(|row| Some((self.score(&row, &atoms)?, row))).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, row)| row).collect()
    }

    fn score(&mut self, row: &Row, atoms: &[Atom]) -> Option<u32> {
        let mut total = 0;
        for atom in atoms {
            let of = |text| {
                let text = Utf32Str::new(text, &mut self.buffer);
                atom.score(text, &mut self.matcher)
            };
            // A word that must not be there must not be there anywhere.
            let scores: Vec<Option<u16>> = row.texts().into_iter().map(of).collect();
            let is_found = if atom.negative {
                scores.iter().all(Option::is_some)
            } else {
                scores.iter().any(Option::is_some)
            };
            let weighed = scores.into_iter().enumerate().filter_map(|(at, score)| {
                let weight = if at == NAME { 2 } else { 1 };
                Some(u32::from(score?) * weight)
            });
            let best = weighed.max().unwrap_or(0);
            total += is_found.then_some(best)?;
        }
        Some(total)
    }
}
