"""The program: its commands, and how errors leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from splu_ref import SPECIFICATION, __version__
from splu_ref.channels import SpluError, offer_options, options_spoken
from splu_ref.output import say, settle_streams

COMMANDS = {
    "advise": "Advise a publisher: what each feasible gamma promises for this table, and which to take.",
    "sanitize": "Publish a table by SPLU-Gen: each record's sensitive value is drawn from its decoy group.",
    "publish": "Publish a table by a mechanism of your choice: a value for each record, groups, or a set "
    "of tuples.",
    "estimate": "Estimate how many published records satisfied a conjunction before, with a 95 % interval.",
    "privacy": "Compute T_P: the probability with which every count up to alpha is published wrongly.",
    "utility": "Compute how accurate large counts are: exactly, not by a bound.",
    "concept": "Compute T_P for a predicate together with a sensitive value, and the worst such concept.",
    "breach": "Say whether a record's published value can lift a belief from rho1 or less to rho2 or more.",
    "operator": "Find the matrix of publishing chances that keeps most under a bound on beliefs, with its "
    "proof.",
    "attack": "Publish a table as a manifest says, attack every record, and compare with what is predicted "
    "exactly.",
    "anonymity": "Count how anonymous a table is: k, l, alpha and t, exactly.",
    "sample-size": "Say how many rows an estimate needs to be within epsilon but for a probability of delta.",
    "entropy": "Say what releasing a statistic costs each record in entropy, exactly, for every value it may "
    "have.",
    "useful": "Compute how often a query on an alpha-beta release errs, and what the release promises.",
    "audit": "Hold a publisher's claims against exact arithmetic: confirmed, narrowed, refuted or not "
    "decided.",
    "audit-release": "Say whether a published table is one that its mechanism could and would have made.",
    "check": "Re-check a certificate by integer arithmetic alone. Exit 0: valid, 1: false, 2: unreadable.",
    "claims": "Show what the source papers claim, and what is true of it: proved, refuted or corrected.",
    "verify": "Run the verification suite: ledger, certificates, enumeration, embedded data; "
    "full adds the rest.",
    "vectors": "Write the test vectors for other implementations, with their JSON Schema.",
    "conform": "Hold a program to the test vectors, and its releases at random to their law.",
    "page": "Write a calculator, certificate checker and auditor as one HTML page, for whoever installs "
    "nothing.",
    "key": "Make a secret key from the system's entropy, readable by its owner alone.",
}
"""Every command with the summary that the list of commands shows: the first paragraph of its own help."""
LONGEST_MESSAGE = 1_000
"""Characters of an error that are printed, and of a longer one its beginning and its end."""
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


@dataclass(frozen=True)
class _AsGiven:
    """How the words of one parameter become its value."""

    kind: type[str | bool | Path]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter: of one that may be given several times, a tuple."""
        if param.multiple or param.nargs == -1:
            return tuple(self.kind(each) for each in value or ())
        return None if value is None else self.kind(value)


_KINDS: dict[Any, type[str | bool | Path]] = {str: str, list[str]: str, Path: Path, bool: bool}


def _as_given(parameters: list[Any]) -> list[Any]:
    """Let texts, paths and flags be taken as they are.

    Typer validates them by way of a library that takes as long to load as NumPy. A version of Typer that
    does so in another way is slower here, and as right.
    """
    for parameter in parameters:
        kind = _KINDS.get(getattr(getattr(parameter, "type_descriptor", None), "annotation", None))
        if kind is not None:
            parameter.get_runtime_param = partial(_AsGiven, kind)
    return parameters


class _Command(TyperCommand):
    """A command, loaded."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of the help among them."""
        return _as_given(super().get_params(ctx))


class Program(TyperGroup):
    """The group of all commands; the module of a command is loaded once the command is given."""

    package = "splu_ref.cli"
    """Where the modules of the commands are."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of the help among them."""
        return _as_given(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that the first word names, and the words after it."""
        name, _, rest = super().resolve_command(ctx, args)
        if name is None:
            return None, None, rest
        loaded = command(name, self.package)
        offer_options(option for parameter in loaded.params for option in parameter.opts)
        return name, loaded, rest


app = typer.Typer(
    name="splu-ref",
    cls=Program,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=HELP_OPTIONS,
)


def command(name: str, package: str = Program.package) -> Any:
    """Load a command and return it, as the framework of commands knows it."""
    module = import_module(f"{package}.{name.replace('-', '_')}")
    alone = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
        context_settings=HELP_OPTIONS,
    )  # fmt: skip
    alone.command(name=name, cls=_Command, epilog=f"Example: {module.EXAMPLE}")(module.run)
    return typer.main.get_command(alone)


def _not_loaded() -> None:
    """Stand for a command in the list of commands."""


def list_commands(program: typer.Typer, commands: Mapping[str, str]) -> None:
    """Add commands to a program, with their summaries and without loading them."""
    for listed, summary in commands.items():
        program.command(name=listed, short_help=summary)(_not_loaded)


list_commands(app, COMMANDS)


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
    or check does not hold, 2 unusable input or options, 3 cannot tell.
    """


def run(arguments: Sequence[str] | None = None, program: typer.Typer = app, name: str = "splu-ref") -> int:
    """Run a program with the given words and return its exit code.

    Parameters
    ----------
    arguments
        The words after the program's name; those of the process unless given.
    program, name
        The program, and the name by which its help calls it.
    """
    settle_streams()
    with options_spoken():
        return _run(arguments, program, name)


def _run(arguments: Sequence[str] | None, program: typer.Typer, name: str) -> int:
    try:
        code = program(
            args=None if arguments is None else list(arguments), prog_name=name, standalone_mode=False
        )
    except typer.TyperException as error:
        return _refuse(_with_remedy(error, name))
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


def _with_remedy(error: typer.TyperException, name: str) -> str:
    """Return what is wrong with the words of a command, and where its help is."""
    context = getattr(error, "ctx", None)
    program = name if context is None else context.command_path
    return f"{error.format_message().rstrip('.')}: see {program} --help"


def _refuse(message: str) -> int:
    """Print one line; what a message quotes from a file is shortened."""
    line = " ".join(message.split())
    if len(line) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2 - 2
        line = f"{line[:half]} … {line[-half:]}"
    say(f"splu-ref: {line}", stderr=True)
    return 2
