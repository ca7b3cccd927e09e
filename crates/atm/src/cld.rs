//! `cld`: this program under its other name. `cld resume …` is `atm resume …`; everything else goes to
//! `claude` as it was typed.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use crate::resume::launch::Launch;

/// What `claude` is to get, if this is `cld` and not its `resume`.
pub(crate) fn passed_on(mut words: impl Iterator<Item = OsString>) -> Option<Vec<OsString>> {
    let program = words.next()?;
    let name = Path::new(&program).file_name().and_then(OsStr::to_str)?;
    let rest: Vec<OsString> = words.collect();
    let is_resume = rest.first().is_some_and(|word| word == "resume");
    (name.ends_with("cld") && !is_resume).then_some(rest)
}

pub(crate) fn run(words: &[OsString]) -> ExitCode {
    let failure = Launch::claude(words).exec();
    // Without standard error there is nobody left to tell.
    failure.report(&mut std::io::stderr().lock()).ok();
    failure.kind.into()
}

#[cfg(test)]
mod tests {
    use super::passed_on;

    #[test]
    fn cld_passes_on_everything_but_resume_and_atm_passes_on_nothing() {
        let cases: [(&[&str], Option<&[&str]>); 7] = [
            (&["cld"], Some(&[])),
            (&["/usr/bin/cld", "--help"], Some(&["--help"])),
            (&["cld", "-p", "resume"], Some(&["-p", "resume"])),
            (&["cld", "hook"], Some(&["hook"])),
            (&["cld", "resume", "-y", "23e30f82"], None),
            (&["atm", "list"], None),
            (&["/home/cld/bin/atm"], None),
        ];
        for (words, expected) in cases {
            let passed = passed_on(words.iter().map(Into::into));
            let expected = expected.map(|rest| rest.iter().map(Into::into).collect::<Vec<_>>());
            assert_eq!(passed, expected, "{words:?}");
        }
    }
}
