"""Dialogs that wait for the user: permissions and questions, each answered, refused and left with Esc."""
from model import bash, text, tools
from scenarios import scenario

PERMISSION = "Do you want"
COLOURS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
QUESTION = tools(("AskUserQuestion", {"questions": [
    {"question": "Which colour?", "header": "Colour", "multiSelect": False, "options": COLOURS}]}), gate="ask")


def open_dialog(scene, atm, pattern, reason_has):
    """A pane whose client has just been brought to ask something, and says so."""
    pane = scene.start()
    scene.say(pane, "go ahead")
    scene.wait_request("main")
    atm.expect(pane, "attention", reason_has=reason_has, after=scene.model.release("ask"))
    scene.wait_dialog(pane, pattern)
    return pane


def open_permission(scene, atm):
    return open_dialog(scene, atm, PERMISSION, "Bash")


def open_question(scene, atm):
    return open_dialog(scene, atm, "Which colour", ("AskUserQuestion", "question"))


@scenario
def permission_approved(scene, atm):
    """attention, working at once after the approval while the tool still runs, done"""
    scene.prepare(bash(scene.blocking_tool("tool"), gate="ask"), text("Done."))
    pane = open_permission(scene, atm)
    approved = scene.keys(pane, "Enter")
    atm.expect(pane, "working", after=approved, told_by="file")
    scene.wait_file("tool.on")
    atm.expect(pane, "idle", why="done", after=scene.let_go("tool"))


@scenario
def permission_denied(scene, atm):
    """"No" ends the turn without any hook"""
    scene.prepare(bash("touch denied", gate="ask"), text("Fresh answer."))
    pane = open_permission(scene, atm)
    scene.keys(pane, "Up")  # the list is a ring, "No" is its last line
    scene.wait_screen(pane, r"❯ \d\. No")
    atm.expect(pane, "idle", why="interrupted", after=scene.keys(pane, "Enter"), told_by="file")


@scenario
def permission_esc(scene, atm):
    """Esc at the permission dialog ends the turn without any hook"""
    scene.prepare(bash("touch denied", gate="ask"), text("Fresh answer."))
    pane = open_permission(scene, atm)
    atm.expect(pane, "idle", after=scene.keys(pane, "Escape"), told_by="file")


@scenario
def question_answered(scene, atm):
    """a question of the model, answered: the turn goes on"""
    scene.prepare(QUESTION, text("You chose.", gate="answer"))
    pane = open_question(scene, atm)
    atm.expect(pane, "working", after=scene.keys(pane, "Enter"), told_by="file")
    atm.expect(pane, "idle", why="done", after=scene.model.release("answer"))


@scenario
def question_esc(scene, atm):
    """a question of the model, left with Esc: the turn is over, no hook tells it"""
    scene.prepare(QUESTION, text("After the refusal."))
    pane = open_question(scene, atm)
    atm.expect(pane, "idle", after=scene.keys(pane, "Escape"), told_by="file")
