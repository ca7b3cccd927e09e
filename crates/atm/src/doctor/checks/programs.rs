//! What `atm` on the command line starts.

use super::super::dump::{Dump, Identity, OnPath, Place};
use super::super::finding::Finding;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let named = |name: &'static str| dump.path.iter().find(move |on| on.name == name);
    let Some(own) = &dump.program else { return Vec::new() };
    let folder = own.0.parent().map(Place::of).unwrap_or_default();
    let atm = match named("atm") {
        None => Finding::warning("path.absent", "`atm` is not on the PATH")
            .means(format!("You have to type {own}; hooks work all the same."))
            .remedy(format!("add {folder} to your PATH")),
        Some(first) => first_on_path(dump, first),
    };
    let cld = named("cld").filter(|on| on.identity != Identity::Same).map(|on| {
        Finding::note("path.cld", format!("`cld` is {}, another program", on.path))
            .means("The short name for resuming sessions is taken; `atm resume` does the same.")
    });
    [atm].into_iter().chain(cld).collect()
}

fn first_on_path(dump: &Dump, first: &OnPath) -> Finding {
    let (path, own) = (&first.path, &dump.version);
    let is_later = dump.path.iter().any(|on| on.name == "atm" && on.identity == Identity::Same);
    let remedy = if is_later {
        "put the folder of this one before that one in your PATH".to_owned()
    } else {
        format!("put the folder of {} first in your PATH", own_path(dump))
    };
    match &first.identity {
        Identity::Same | Identity::Copy => Finding::ok("path.atm", format!("atm {own} at {path}")),
        Identity::Other { version: None } | Identity::Unasked => Finding::warning(
            "path.foreign",
            format!("`atm` starts {path}, another program of that name"),
        )
        .means(format!("This is {}; whoever types `atm` gets the other.", own_path(dump)))
        .remedy(remedy),
        Identity::Other { version: Some(version) } if version == own => Finding::note(
            "path.other",
            format!("`atm` starts {path}, another build of this version"),
        )
        .means("Fine, unless you expected the one that runs now."),
        Identity::Other { version: Some(version) } => Finding::warning(
            "path.other",
            format!("`atm` starts {path}, which is version {version}; this is {own}"),
        )
        .means("What you type and what you run here are of different versions.")
        .remedy(remedy),
    }
}

fn own_path(dump: &Dump) -> String {
    dump.program.as_ref().map(ToString::to_string).unwrap_or_default()
}
