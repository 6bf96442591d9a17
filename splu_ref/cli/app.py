"""The program: its commands, and how errors leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from splu_ref import SPECIFICATION, __version__
from splu_ref.cli import (
    advise,
    audit,
    audit_release,
    check,
    claims,
    concept,
    conform,
    estimate,
    key,
    privacy,
    sanitize,
    study,
    utility,
    vectors,
    verify,
)
from splu_ref.model import SpluError
from splu_ref.terminal import say, settle_streams

LONGEST_MESSAGE = 1_000
"""Characters of an error that are printed, and of a longer one its beginning and its end."""

app = typer.Typer(
    name="splu-ref",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    advise,
    sanitize,
    estimate,
    privacy,
    utility,
    concept,
    audit,
    audit_release,
    check,
    claims,
    verify,
    study,
    vectors,
    conform,
    key,
):
    app.command(name=command.NAME, epilog=f"Example: {command.EXAMPLE}")(command.run)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"splu-ref {__version__} (specification {SPECIFICATION})")
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
    except MemoryError:
        return _refuse("the memory does not suffice: give a smaller input, or run it where there is more")
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
    """Print one line; what a message quotes from a file is shortened."""
    line = " ".join(message.split())
    if len(line) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2 - 2
        line = f"{line[:half]} … {line[-half:]}"
    say(f"splu-ref: {line}", stderr=True)
    return 2
