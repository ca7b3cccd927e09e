//! atm's own configuration: one finding for each thing that is wrong in it.

use super::super::dump::Dump;
use super::super::finding::Finding;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let Some(config) = &dump.config else { return Vec::new() };
    if config.problems.is_empty() {
        let what = if config.is_there {
            format!("{} is fine", config.path)
        } else {
            "no configuration file, so the defaults".to_owned()
        };
        return vec![Finding::ok("config.fine", what)];
    }
    let finding = |problem: &String| {
        Finding::warning("config.problem", format!("{}:{problem}", config.path))
            .means("The option has its default value.")
            .remedy("mend it there; `atm config default` shows every option")
    };
    config.problems.iter().map(finding).collect()
}
