//! What the system tells about processes and about itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;

use crate::Outcome;

/// Bytes: all that is resident, and the part of it that no file backs.
pub(crate) fn memory(pid: u32) -> Outcome<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok((kilobytes(&status, "VmRSS")?, kilobytes(&status, "RssAnon")?))
}

/// The most that was ever resident; none once the process is gone.
pub(crate) fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    kilobytes(&status, "VmHWM").ok()
}

fn kilobytes(status: &str, name: &str) -> Outcome<u64> {
    Ok(field(status, name)?.trim_end_matches(" kB").parse::<u64>()? * 1024)
}

fn field<'a>(status: &'a str, name: &str) -> Outcome<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Ok(line.ok_or_else(|| format!("no {name} in /proc/PID/status"))?.trim())
}

/// How often each thread of a process was switched to another, of its own will or not.
#[derive(Debug)]
pub(crate) struct Switches(BTreeMap<String, u64>);

impl Switches {
    pub(crate) fn of(pid: u32) -> Outcome<Switches> {
        let mut threads = BTreeMap::new();
        for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
            let path = entry?.path();
            let status = fs::read_to_string(path.join("status"))?;
            let count = field(&status, "voluntary_ctxt_switches")?.parse::<u64>()?
                + field(&status, "nonvoluntary_ctxt_switches")?.parse::<u64>()?;
            threads.insert(path.display().to_string(), count);
        }
        Ok(Switches(threads))
    }

    pub(crate) fn since(&self, before: &Switches) -> u64 {
        let old = |thread| before.0.get(thread).copied().unwrap_or(0);
        self.0.iter().map(|(thread, count)| count.saturating_sub(old(thread))).sum()
    }

    pub(crate) fn threads(&self) -> usize {
        self.0.len()
    }
}

/// Clock ticks of user and system time that a process has used.
pub(crate) fn ticks(pid: u32) -> Outcome<u64> {
    ticks_in(&format!("/proc/{pid}/stat"))
}

fn ticks_in(path: &str) -> Outcome<u64> {
    let stat = fs::read_to_string(path)?;
    let (_, rest) = stat.rsplit_once(')').ok_or("unknown form of /proc/PID/stat")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let at = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok());
    Ok(at(11).zip(at(12)).map(|(user, system)| user + system).ok_or("no times in stat")?)
}

/// Time that each thread of a process has used, by name, in steps of the clock tick.
pub(crate) fn cpu(pid: u32) -> Outcome<BTreeMap<String, Duration>> {
    let tick = Duration::from_secs(1) / u32::try_from(clock_ticks_per_second())?;
    let mut threads: BTreeMap<String, Duration> = BTreeMap::new();
    for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
        let path = entry?.path();
        let name = fs::read_to_string(path.join("comm"))?.trim().to_owned();
        let ticks = ticks_in(&path.join("stat").display().to_string())?;
        *threads.entry(name).or_default() += tick * u32::try_from(ticks)?;
    }
    Ok(threads)
}

/// Whether a program needs no dynamic loader, which costs more than the hook itself.
pub(crate) fn is_static(path: &Path) -> Outcome<bool> {
    const PT_INTERP: u32 = 3;
    let bytes = fs::read(path)?;
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at + length)?;
        Some(bytes.iter().rev().fold(0, |sum, byte| (sum << 8) | usize::from(*byte)))
    };
    let header = || Some((number(32, 8)?, number(54, 2)?, number(56, 2)?));
    let is_known = bytes.starts_with(b"\x7fELF\x02\x01");
    let (start, size, count) = header().filter(|_| is_known).ok_or("not a 64-bit ELF program")?;
    let mut kinds = (0..count).filter_map(|index| number(start + index * size, 4));
    Ok(kinds.all(|kind| kind != PT_INTERP as usize))
}

pub(crate) fn describe(atm: &Path) -> Outcome<String> {
    let linked = if is_static(atm)? { "static" } else { "dynamic" };
    let cores = std::thread::available_parallelism()?;
    let megabytes = fs::metadata(atm)?.len() as f64 / 1e6;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let (atm, kernel) = (atm.display(), kernel.trim());
    Ok(format!("{atm}: {linked}, {megabytes:.1} MB; Linux {kernel}, {cores} cores; {}", load()))
}

pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first: Vec<&str> = text.split(' ').take(3).collect();
    format!("load {}", first.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_tells_about_this_process() {
        let pid = std::process::id();
        let (resident, anonymous) = memory(pid).unwrap();
        assert!(resident > anonymous && anonymous > 0);
        let before = Switches::of(pid).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(Switches::of(pid).unwrap().since(&before) >= 1);
        assert!(ticks(pid).is_ok() && !cpu(pid).unwrap().is_empty());
        assert!(is_static(Path::new("/proc/self/exe")).is_ok());
        assert!(is_static(Path::new("/proc/self/stat")).is_err());
    }
}
