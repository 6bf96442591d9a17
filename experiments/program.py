"""The program ``python -m experiments``: its commands, which are built like those of ``splu-ref``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import typer

from splu_ref.cli.app import HELP_OPTIONS, Program, command, list_commands, run

NAME = "python -m experiments"
PACKAGE = "experiments.commands"
COMMANDS = {
    "study": "Repeat the paper's experiments: figures 7 to 12, iterations, times, and what the estimators "
    "promise.",
    "compare": "Compare mechanisms that keep a value equally often: what attacks achieve, and what is "
    "guaranteed.",
    "conditions": "Compare the errors of the default estimate of conjunctions with and without its product "
    "form.",
    "attack-learned": "Publish a table as a manifest says, and attack every record by learning from each "
    "release.",
    "query-interface": "Carry out what gets around the defense of an interface that answers queries about a "
    "table.",
}
"""Every command with the summary that the list of commands shows: the first paragraph of its own help."""
GROUPS = {"Commands": COMMANDS}
"""The commands under the headings of the help."""


class _Experiments(Program):
    """The group of the experiments."""

    package = PACKAGE
    groups = GROUPS


app = typer.Typer(
    name=NAME,
    cls=_Experiments,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=HELP_OPTIONS,
)
list_commands(app, COMMANDS)
load = partial(command, package=PACKAGE)
"""Load a command by its name and return it."""


@app.callback(epilog=f"Example: {NAME} compare --report comparison. COMMAND --help shows one of each.")
def program() -> None:
    """Run the papers' experiments and demonstrations on data, from a checkout of splu-ref.

    Exit codes: 0 done or it holds, 1 a promise or defense does not hold, 2 unusable input or options, 3
    cannot decide.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code.

    Parameters
    ----------
    arguments
        The words after the program's name; those of the process unless given.
    """
    try:
        return run(arguments, app, NAME)
    except KeyboardInterrupt:
        return 130
