#!/usr/bin/env python3
"""Runs the scenarios with the real client: run.py [--atm PATH] [--only NAME…] [--list] [--jobs 2]

Judges what atm shows; prints how fast it was. A failed scenario leaves its run folder behind and says where. The last line
is `N passed, M failed`; the exit code is 0 only if nothing failed.
"""
import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

sys.dont_write_bytecode = True

from atm import Atm, WrongStatus  # noqa: E402
from driver import DriveError, Scene, Skipped, close_all, remove_folder  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MEASURES = (("from the driver's action", "from_action_s"), ("from the client's session file", "from_client_s"))


@dataclass
class Outcome:
    name: str
    verdict: str  # PASS, FAIL or SKIP
    seconds: float
    samples: list
    report: str = ""


def main():
    asked = parse_arguments()
    if asked.list:
        for name, play in SCENARIOS.items():
            print(f"{name:24} {play.__doc__}")
        return 0
    names = asked.only or list(SCENARIOS)
    unknown = [name for name in names if name not in SCENARIOS]
    if unknown:
        print(f"run.py: no such scenario: {', '.join(unknown)} (--list shows them)", file=sys.stderr)
        return 2
    atm_path = find_atm(asked.atm)
    client_path = fetch_client(asked.cache)
    folder = tempfile.mkdtemp(prefix="atm-real-")
    try:
        outcomes = play_all(names, asked.jobs, lambda name: play_scenario(name, f"{folder}/{name}", atm_path, client_path))
    except KeyboardInterrupt:
        close_all()
        remove_folder(folder)
        print("run.py: interrupted", file=sys.stderr)
        os._exit(130)  # the workers still wait for screens that will never come
    passed = conclude(outcomes)
    if asked.keep or not passed:
        print(f"kept: {folder}")
    else:
        remove_folder(folder)
    print(tally(outcomes))
    return 0 if passed else 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atm", metavar="PATH", help="the binary to judge (default: target/release/atm, target/debug/atm)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these scenarios")
    parser.add_argument("--list", action="store_true", help="name the scenarios and end")
    parser.add_argument("--jobs", type=int, default=2, help="how many scenarios at a time (default 2)")
    parser.add_argument("--keep", action="store_true", help="keep the run folders of passed scenarios too")
    parser.add_argument("--cache", metavar="DIR", help="where setup.sh keeps the client (default: ATM_REAL_CACHE)")
    return parser.parse_args()


def find_atm(path):
    candidates = [path] if path else [f"{ROOT}/target/release/atm", f"{ROOT}/target/debug/atm"]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    sys.exit(f"run.py: no atm at {' or '.join(candidates)}: build it or give --atm PATH")


def fetch_client(cache):
    """The client's binary, as setup.sh names it on its last line."""
    env = {**os.environ, "ATM_REAL_CACHE": cache} if cache else None
    done = subprocess.run([f"{HERE}/setup.sh"], env=env, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    print("\n".join(lines[:-1]), flush=True)
    if done.returncode:
        sys.exit("run.py: no client to run the scenarios with")
    return lines[-1]


def play_all(names, jobs, play_one):
    """Plays up to `jobs` scenarios at a time and prints each as soon as it is over."""
    outcomes = []
    pool = ThreadPoolExecutor(max_workers=max(1, jobs))
    for done in as_completed([pool.submit(play_one, name) for name in names]):
        outcomes.append(done.result())
        print(render(outcomes[-1]), flush=True)
    return outcomes


def play_scenario(name, folder, atm_path, client_path):
    os.mkdir(folder)
    scene, began, report = Scene(folder, atm_path, client_path), time.time(), ""
    atm = Atm(scene)
    try:
        SCENARIOS[name](scene, atm)
        verdict = "PASS"
    except Skipped as reason:
        verdict, report = "SKIP", str(reason)
    except (WrongStatus, DriveError) as failure:
        verdict, report = "FAIL", describe(failure, scene, atm)
    except Exception:  # a broken scenario must not take the others with it
        verdict, report = "FAIL", describe(traceback.format_exc(), scene, atm)
    finally:
        scene.close()
    return Outcome(name, verdict, time.time() - began, atm.samples, report)


def describe(failure, scene, atm):
    """Everything a reader needs to see what went wrong, while the scene still stands."""
    parts = [str(failure)]
    if atm.history:
        first = atm.history[0][0]
        parts += ["what was listed:"] + [f"  {at - first:8.3f}  {told}" for at, told in atm.history[-25:]]
    parts += ["atm list --all --json:", said_by(atm, "list", "--all", "--json")]
    for session_id in atm.ids_seen():
        parts += [f"atm explain {session_id}:", said_by(atm, "explain", session_id)]
    for pane in scene.panes:
        parts += [f"screen of {pane}:", last_screen(scene, pane)]
    parts.append(f"kept: {scene.folder}")
    return "\n".join(parts)


def said_by(atm, *args):
    try:
        code, out, err = atm.try_run(*args)
        return (out + err).strip() + (f"\n(exit code {code})" if code else "")
    except (WrongStatus, OSError) as failure:
        return str(failure)


def last_screen(scene, pane):
    try:
        return "\n".join(line.rstrip() for line in scene.screen(pane).splitlines() if line.strip())
    except DriveError as failure:
        return str(failure)


def render(outcome):
    lines = [f"{outcome.verdict} {outcome.name} ({outcome.seconds:.1f} s)"]
    if outcome.samples:
        lines.append(f"     {'checkpoint':28} {'told by':10} {'from action':>12} {'from client':>12}  source")
    for sample in outcome.samples:
        lines.append(f"     {sample.label:28} {sample.told_by:10} {milliseconds(sample.from_action_s):>12} "
                     f"{milliseconds(sample.from_client_s):>12}  {sample.source}")
    lines += ["     " + line for line in outcome.report.splitlines()]
    return "\n".join(lines)


def milliseconds(seconds):
    return "-" if seconds is None else f"{seconds * 1000:.0f} ms"


def conclude(outcomes):
    """Prints the latencies and what did not pass; says whether nothing failed."""
    samples = [sample for outcome in outcomes for sample in outcome.samples]
    for title, measure in MEASURES:
        print(f"\nlatency {title} ({len(samples)} checkpoints):")
        for told_by in sorted({sample.told_by for sample in samples}):
            print("  " + spread(told_by, [getattr(sample, measure) for sample in samples if sample.told_by == told_by]))
    print()
    for verdict in ("SKIP", "FAIL"):
        if named := [outcome.name for outcome in outcomes if outcome.verdict == verdict]:
            print(f"{verdict}: {', '.join(named)}")
    return not any(outcome.verdict == "FAIL" for outcome in outcomes)


def tally(outcomes):
    verdicts = [outcome.verdict for outcome in outcomes]
    return f"{verdicts.count('PASS')} passed, {verdicts.count('FAIL')} failed"


def spread(told_by, seconds):
    known = sorted(value for value in seconds if value is not None)
    if not known:
        return f"{told_by:10} none"
    p95 = known[min(len(known) - 1, int(len(known) * 0.95))]
    return (f"{told_by:10} median {milliseconds(statistics.median(known)):>8}  p95 {milliseconds(p95):>8}  "
            f"max {milliseconds(known[-1]):>8}  of {len(known)}")


def interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupt)
    sys.exit(main())
