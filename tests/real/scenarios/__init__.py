"""The scenarios, by name. Each is a function of a scene to drive and of the atm that is judged; its docstring says what must
be shown."""
SCENARIOS = {}


def scenario(play):
    SCENARIOS[play.__name__] = play
    return play


from scenarios import turns, dialogs, lifecycle, background, sensors, setup, plugin, statusline, resuming, tabs  # noqa: E402,F401  they register themselves
