//! Which folders the user has told the client to trust: until then it runs no hook there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::dump::{Folder, Place, Trust};
use super::Env;

const NAME: &str = ".claude.json";

pub(super) fn collect(env: Env<'_>, folders: &BTreeSet<Place>) -> Trust {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(file) = absolute("CLAUDE_CONFIG_DIR").or_else(|| absolute("HOME")) else {
        return Trust::default();
    };
    let file = file.join(NAME);
    let read = fs::read_to_string(&file).ok();
    let known: Option<Value> = read.and_then(|text| serde_json::from_str(&text).ok());
    let folders = known.map(|known| {
        let judged = folders.iter().map(|folder| Folder {
            path: folder.clone(),
            is_trusted: is_trusted(&known, &folder.0),
        });
        judged.collect()
    });
    Trust { file: Some(Place(file)), folders }
}

/// Trust in a folder covers what is below it.
fn is_trusted(known: &Value, folder: &Path) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let above = folder.ancestors().chain(real.ancestors());
    above
        .filter_map(Path::to_str)
        .any(|path| known["projects"][path]["hasTrustDialogAccepted"] == Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn trust_is_for_a_folder_and_all_below_it() {
        let known = json!({"projects": {
            "/a": {"hasTrustDialogAccepted": true}, "/b": {"hasTrustDialogAccepted": false}}});
        for (folder, trusted) in [("/a", true), ("/a/x/y", true), ("/b", false), ("/ab", false)] {
            assert_eq!(is_trusted(&known, Path::new(folder)), trusted, "{folder}");
        }
        assert!(!is_trusted(&Value::Null, Path::new("/a")));
    }
}
