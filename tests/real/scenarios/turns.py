"""A turn from prompt to end: done, interrupted in each of its phases, failed."""
from model import Gate, bash, refusal, text, words
from scenarios import scenario

INTERRUPTIBLE = text(words(600), word_delay_s=0.05)


@scenario
def plain_turn(scene, atm):
    """fresh, working, done, ended"""
    scene.prepare(text("Hello.", Gate("rest"), "That is all."))
    pane = scene.start()
    row = atm.expect(pane, "idle", why="fresh")
    asked = scene.say(pane, "hi there")
    atm.expect(pane, "working", after=asked)
    atm.expect(pane, "idle", why="done", after=scene.model.release("rest"))
    left = scene.exit(pane)
    atm.expect_ended(row["id"], after=left)


@scenario
def esc_in_text(scene, atm):
    """Esc while the answer streams: no hook tells it"""
    scene.prepare(INTERRUPTIBLE, text("Fresh answer."))
    pane = _interrupt_text(scene, atm, "Escape")
    _next_turn(scene, atm, pane)


@scenario
def ctrl_c_in_text(scene, atm):
    """Ctrl+C while the answer streams interrupts like Esc, the client stays"""
    scene.prepare(INTERRUPTIBLE, text("Fresh answer."))
    pane = _interrupt_text(scene, atm, "C-c")
    _next_turn(scene, atm, pane)


def _interrupt_text(scene, atm, key):
    pane = scene.start()
    asked = scene.say(pane, "talk long")
    atm.expect(pane, "working", after=asked)
    scene.wait_screen(pane, "w30")
    atm.expect(pane, "idle", why="interrupted", after=scene.keys(pane, key), told_by="file")
    return pane


def _next_turn(scene, atm, pane):
    """An interrupt is over with the next prompt: nothing of it may stick."""
    scene.say(pane, "go on")
    atm.expect(pane, "idle", why="done", label="done, next turn")


@scenario
def esc_in_tool(scene, atm):
    """Esc while a tool runs: its PreToolUse never gets a partner"""
    scene.prepare(bash(scene.blocking_tool("tool")), text("Fresh answer."), allow=["Bash"])
    pane = scene.start()
    scene.say(pane, "run it")
    scene.wait_file("tool.on")
    atm.expect(pane, "working", detail="Bash")
    atm.expect(pane, "idle", why="interrupted", after=scene.keys(pane, "Escape"), told_by="file")
    _next_turn(scene, atm, pane)


@scenario
def esc_before_first_byte(scene, atm):
    """Esc while the model is still silent: not even the transcript tells it"""
    scene.prepare(text("never seen", gate="never"))
    pane = scene.start()
    asked = scene.say(pane, "are you there")
    atm.expect(pane, "working", after=asked)
    scene.wait_request("main")
    atm.expect(pane, "idle", after=scene.keys(pane, "Escape"), told_by="file")


@scenario
def api_error(scene, atm):
    """the model's server fails for good: idle, and why"""
    scene.prepare(refusal(500, "api_error", "scripted failure"))
    pane = scene.start(env="CLAUDE_CODE_MAX_RETRIES=0")
    asked = scene.say(pane, "fail please")
    atm.expect(pane, "idle", why="error", after=asked)


@scenario
def rate_limit(scene, atm):
    """429: idle until the limit is over"""
    scene.prepare(refusal(429, "rate_limit_error", "scripted limit"))
    pane = scene.start(env="CLAUDE_CODE_MAX_RETRIES=0")
    asked = scene.say(pane, "too much")
    atm.expect(pane, "idle", why="limited", after=asked)
