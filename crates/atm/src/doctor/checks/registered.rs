//! The program that the registered hooks run.

use super::super::dump::{Dump, HookProgram, Identity, Read, Scope, Settings};
use super::super::finding::{Finding, Fix};
use super::claude::{EXEC_SINCE, parse};

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        dump.programs.iter().filter_map(|program| judge(dump, program)).collect();
    findings.extend(form(dump));
    findings
}

fn judge(dump: &Dump, program: &HookProgram) -> Option<Finding> {
    let settings = naming(dump, &program.program)?;
    let name = crate::setup::diff::visible(&program.program);
    let place = &settings.path;
    let finding = if program.found.is_none() {
        Finding::problem("hooks.program-gone", format!("{place} runs {name}, which is not there"))
            .means("Every hook fails: Claude Code shows an error each time, and atm hears nothing.")
    } else if !program.is_executable {
        Finding::problem(
            "hooks.program-not-executable",
            format!("{place} runs {name}, which may not be executed"),
        )
        .means("Every hook fails, and atm hears nothing.")
    } else {
        match &program.identity {
            Identity::Same | Identity::Copy => return None,
            Identity::Other { version: Some(version) } if *version != dump.version => {
                let own = &dump.version;
                Finding::warning(
                    "hooks.program-other",
                    format!("{place} runs {name}, which is atm {version}; this is {own}"),
                )
                .means(
                    "Hooks and commands are of different versions; most works, new things may not.",
                )
            }
            Identity::Other { version: Some(_) } => Finding::note(
                "hooks.program-other",
                format!("{place} runs {name}, another build of this version"),
            )
            .means("Fine, unless you expected the one that you just built."),
            Identity::Unasked => Finding::note(
                "hooks.program-other",
                format!("{place} runs {name}, another file than this atm"),
            )
            .means("Which version it is was not asked: programs that a project or a plugin names are not run here."),
            Identity::Other { version: None } => Finding::problem(
                "hooks.program-foreign",
                format!("{place} runs {name}, which is not this atm"),
            )
            .means("Another program of that name gets the events, and atm hears nothing."),
        }
    };
    Some(mend(finding, settings))
}

fn naming<'d>(dump: &'d Dump, program: &str) -> Option<&'d Settings> {
    let names = |(_, read): &(_, &Read)| read.ours.iter().any(|hook| hook.program == program);
    dump.read().find(names).map(|(settings, _)| settings)
}

fn mend(finding: Finding, settings: &Settings) -> Finding {
    match settings.scope {
        Scope::User => finding.remedy("run `atm setup` with the atm you want").fix(Fix::Register),
        Scope::Project => finding.remedy("run `atm setup --scope project` there"),
        Scope::Local => finding.remedy("run `atm setup --scope local` there"),
        Scope::Managed => finding.remedy("have the managed settings changed"),
        Scope::Plugin => {
            finding.remedy("put atm on the PATH of the sessions, or update the plugin")
        }
    }
}

fn form(dump: &Dump) -> Option<Finding> {
    let version = dump.claude.first()?.version.as_ref()?;
    let has_exec = parse(version)? >= EXEC_SINCE;
    let hooks = || {
        let files = dump.read().filter(|(settings, _)| settings.scope != Scope::Plugin);
        files.flat_map(|(settings, read)| read.ours.iter().map(move |hook| (settings, hook)))
    };
    let (settings, _) = hooks().find(|(_, hook)| hook.is_exec != has_exec)?;
    let place = &settings.path;
    let finding = if has_exec {
        Finding::note("hooks.shell", format!("hooks in {place} go through a shell"))
            .means("That costs a shell for each event; this client can do without.")
    } else {
        Finding::problem(
            "hooks.exec-unsupported",
            format!("hooks in {place} are in a form that Claude Code {version} does not know"),
        )
        .means("It would start atm without `hook`: no event arrives.")
    };
    Some(mend(finding, settings))
}
