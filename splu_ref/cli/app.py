"""The program: its commands, and how errors leave it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from splu_ref import SPECIFICATION, __version__
from splu_ref.cli import check, claims, concept, estimate, key, privacy, sanitize, utility, verify
from splu_ref.cli.output import settle_streams, write
from splu_ref.model import SpluError

app = typer.Typer(
    name="splu-ref",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (sanitize, estimate, privacy, utility, concept, check, claims, verify, key):
    app.command(name=command.NAME, epilog=f"Example: {command.EXAMPLE}")(command.run)


def _version(wanted: bool) -> None:
    if wanted:
        write(f"splu-ref {__version__} (specification {SPECIFICATION})\n")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish data with small-sum privacy and large-sum utility, and compute exactly what that promises.

    Numbers that enter a guarantee are exact: write 0.3 or 3/10. Exit codes: 0 done or it holds, 1 a claim
    or check does not hold, 2 unusable input or options.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the program with the given words and return its exit code."""
    settle_streams()
    try:
        code = app(
            args=None if arguments is None else list(arguments), prog_name="splu-ref", standalone_mode=False
        )
    except typer.TyperException as error:
        return _refuse(_with_remedy(error))
    except typer.Abort:
        return 130
    except SpluError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(
            f"{error.filename or 'input'}: {error.strerror or error}: check the path and its rights"
        )
    return code if isinstance(code, int) else 0


def _with_remedy(error: typer.TyperException) -> str:
    """Return what is wrong with the words of a command, and where its help is."""
    context = getattr(error, "ctx", None)
    program = "splu-ref" if context is None else context.command_path
    wrong = error.format_message().rstrip(".") or "a command is missing"
    return f"{wrong}: see {program} --help"


def _refuse(message: str) -> int:
    sys.stderr.write("splu-ref: " + " ".join(message.split()) + "\n")
    return 2
