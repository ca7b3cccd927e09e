//! atm's own configuration. What `atm config check` finds belongs here, one finding for each.

use super::super::dump::Dump;
use super::super::finding::Finding;

pub(super) fn check(_: &Dump) -> Vec<Finding> {
    Vec::new()
}
