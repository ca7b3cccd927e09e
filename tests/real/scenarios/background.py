"""Work that goes on beside the main thread: subagents and background shells."""
from model import Gate, agent, bash, text, tools
from scenarios import scenario
from scenarios.dialogs import PERMISSION


def agent_ids(row):
    """The subagents that are still at work."""
    at_work = [child for child in row.get("children", ()) if child["status"] in ("working", "attention")]
    return {child["agent_id"] for child in at_work if child["agent_id"]}


@scenario
def subagents_parallel(scene, atm):
    """two subagents: working until the last is through, even after the main thread's Stop"""
    scene.prepare(tools(agent("first agent", "ALPHA do it"), agent("second agent", "BETA do it")),
                  text("Both are launched."), text("Alpha came back."), text("Beta came back.", gate="end"),
                  routes={"ALPHA": [text("Alpha's", Gate("alpha"), "result.")],
                          "BETA": [text("Beta's", Gate("beta"), "result.")]})
    pane = scene.start()
    scene.say(pane, "use two agents")
    atm.expect(pane, "working", also=lambda row: len(agent_ids(row)) == 2, label="working, two children")
    scene.wait_screen(pane, "Both are launched")
    atm.expect(pane, "working", label="working after Stop")
    scene.model.release("alpha")
    scene.wait_screen(pane, "Alpha came back")
    atm.expect(pane, "working", also=lambda row: len(agent_ids(row)) == 1, label="working, one child left")
    scene.model.release("beta")
    # Between the last agent's end and the turn that reports it the client itself says idle for a moment (2.1.325).
    scene.wait_request("main", 4)
    atm.expect(pane, "working", also=lambda row: not agent_ids(row), label="working, reporting")
    atm.expect(pane, "idle", after=scene.model.release("end"))


@scenario
def subagent_permission(scene, atm):
    """a subagent asks for a permission after the main thread's Stop"""
    prepare_asking_agent(scene)
    pane = scene.start()
    scene.say(pane, "use an agent")
    scene.wait_request("main", 2)
    scene.model.release("launched")
    scene.wait_screen(pane, "It is launched")
    atm.expect(pane, "working", label="working after Stop")
    atm.expect(pane, "attention", reason_has="Bash", after=scene.model.release("ask"))
    approve_agent(scene, atm, pane)


@scenario
def subagent_permission_before_stop(scene, atm):
    """a subagent asks while the main thread still talks: its Stop does not answer the question"""
    prepare_asking_agent(scene)
    pane = scene.start()
    scene.say(pane, "use an agent")
    scene.wait_request("ALPHA")
    atm.expect(pane, "attention", reason_has="Bash", after=scene.model.release("ask"))
    scene.model.release("launched")
    scene.wait_screen(pane, "It is launched")
    atm.expect(pane, "attention", reason_has="Bash", label="attention after Stop")
    approve_agent(scene, atm, pane)


def prepare_asking_agent(scene):
    scene.prepare(tools(agent("one agent", "ALPHA do it")), text("It is launched.", gate="launched"),
                  text("It came back.", gate="end"),
                  routes={"ALPHA": [bash(scene.blocking_tool("tool"), gate="ask"), text("Alpha's result.")]})


def approve_agent(scene, atm, pane):
    scene.wait_dialog(pane, PERMISSION)
    atm.expect(pane, "working", after=scene.keys(pane, "Enter"), told_by="file")
    scene.wait_file("tool.on")
    scene.let_go("tool")
    scene.wait_request("main", 3)
    atm.expect(pane, "working", label="working, reporting")
    atm.expect(pane, "idle", after=scene.model.release("end"))


@scenario
def background_shell(scene, atm):
    """a shell in the background: the session is idle, the shell is shown; its end wakes the client by itself"""
    scene.prepare(bash(scene.blocking_tool("shell"), run_in_background=True), text("The shell is up."),
                  text("It has ended.", gate="woken"), allow=["Bash"])
    pane = scene.start()
    scene.say(pane, "in the background")
    scene.wait_file("shell.on")
    answered = scene.wait_screen(pane, "The shell is up")
    atm.expect(pane, "idle", also=lambda row: row.get("background"), after=answered, label="idle, shell runs")
    atm.expect(pane, "working", after=scene.let_go("shell"), label="working, woken by it")
    atm.expect(pane, "idle", why="done", also=lambda row: not row.get("background"), after=scene.model.release("woken"))
