"""Sessions that begin, end, die, change their id or their place."""
import time

from atm import WrongStatus
from model import Gate, bash, text, words
from scenarios import scenario


@scenario
def ctrl_c_twice(scene, atm):
    """Ctrl+C twice at the prompt: a clean end"""
    scene.prepare(text("Hello."))
    pane = scene.start()
    row = atm.expect(pane, "idle", why="fresh")
    scene.keys(pane, "C-c")
    scene.wait_screen(pane, "(?i)again to exit")
    atm.expect_ended(row["id"], after=scene.keys(pane, "C-c"))


@scenario
def kill9_while_working(scene, atm):
    """the client dies without a word: lost, not working for ever"""
    scene.prepare(text(words(600), word_delay_s=0.05))
    pane = scene.start()
    scene.say(pane, "talk long")
    row = atm.expect(pane, "working")
    atm.expect_ended(row["id"], after=scene.kill_client(pane), lost=True, told_by="process")


@scenario
def clear(scene, atm):
    """/clear: one live session goes on under a new id"""
    scene.prepare(text("First."), text("Second.", gate="second"))
    pane = scene.start()
    scene.say(pane, "first")
    old = atm.expect(pane, "idle", why="done")["id"]
    cleared = scene.say(pane, "/clear")
    atm.expect(pane, "idle", also=lambda row: row["id"] != old, after=cleared, label="idle, new id")
    if any(row["id"] == old for row in atm.sessions()):
        raise WrongStatus(f"{old} is still live after /clear")
    new = atm.row_of(pane)["id"]
    asked = scene.say(pane, "second")
    atm.expect(new, "working", after=asked)
    atm.expect(new, "idle", why="done", after=scene.model.release("second"))


@scenario
def compact(scene, atm):
    """/compact: working until it is through, although neither a prompt nor a Stop is told"""
    scene.prepare(text("First."), text("Second."), text("Third."),
                  compaction=text("<summary>Nothing is pending.</summary>", gate="compacted"))
    pane = scene.start()
    for prompt, answer in (("first", "First."), ("second", "Second.")):
        scene.say(pane, prompt)
        scene.wait_screen(pane, answer)
        before = atm.expect(pane, "idle", why="done")
    asked = scene.say(pane, "/compact keep the words")
    atm.expect(pane, "working", after=asked)
    after = atm.expect(pane, "idle", after=scene.model.release("compacted"))
    if after["id"] != before["id"]:
        raise WrongStatus("a compaction keeps the session's id")


@scenario
def resume(scene, atm):
    """--resume in the same pane: the same id is live again"""
    scene.prepare(text("First."), text("Second.", gate="second"))
    pane = scene.start()
    scene.say(pane, "first")
    old = atm.expect(pane, "idle", why="done")["id"]
    atm.expect_ended(old, after=scene.exit(pane))
    scene.wait_shell(pane)
    scene.start("--resume", old, pane=pane)
    atm.expect(pane, "idle", why="fresh", also=lambda row: row["id"] == old, label="idle, same id")
    asked = scene.say(pane, "second")
    atm.expect(pane, "working", after=asked)
    atm.expect(pane, "idle", why="done", also=lambda row: row["id"] == old, after=scene.model.release("second"))
    atm.row_of(pane)


@scenario
def two_panes(scene, atm):
    """two clients in one window, each with its own status; break-pane takes a session to another window"""
    scene.prepare(routes={"LEFT": [text("One.", Gate("left"), "Two.")], "RIGHT": [text("One.", Gate("right"), "Two.")]})
    left, right = scene.start(), scene.start()
    atm.expect(right, "idle", why="fresh")
    asked = scene.say(left, "LEFT talk")
    atm.expect(left, "working", after=asked)
    atm.expect(right, "idle", why="fresh", label="idle beside it")
    broken = time.time()
    scene.tmux("break-pane", "-d", "-s", right)
    window = scene.tmux("display-message", "-p", "-t", right, "#{window_id}")
    atm.expect(right, "idle", also=lambda row: row.get("window") == window, after=broken, told_by="tmux",
               label="window followed")
    asked = scene.say(right, "RIGHT talk")
    atm.expect(right, "working", also=lambda row: row.get("window") == window, after=asked)
    atm.expect(left, "idle", why="done", after=scene.model.release("left"))
    atm.expect(right, "working", label="working beside it")
    atm.expect(right, "idle", why="done", after=scene.model.release("right"))


@scenario
def nested_client(scene, atm):
    """a client run by the Bash tool in the same pane: the pane stays the outer one's, the inner one leaves no trace"""
    scene.prepare(bash(f"{scene.client_path} -p 'INNER hello'"), text("Outer done.", gate="outer"), allow=["Bash"],
                  routes={"INNER": [text("Inner answer.", gate="inner")]})
    pane = scene.start()
    outer = atm.expect(pane, "idle", why="fresh")["id"]
    scene.say(pane, "start another")
    scene.wait_request("INNER")
    atm.expect(outer, "working", also=lambda row: row.get("pane") == pane, label="working, inner runs")
    if outer not in atm.run("show", pane, "--json"):
        raise WrongStatus(f"{pane} is not the outer session's any more")
    scene.model.release("inner")
    scene.wait_request("main", 2)
    atm.expect(outer, "working", also=lambda row: len(atm.rows_of(pane)) == 1, label="working, inner gone")
    atm.expect(outer, "idle", why="done", after=scene.model.release("outer"))
    atm.row_of(pane)
