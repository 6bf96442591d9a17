"""The program: its commands, and how errors leave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from splu_ref import SPECIFICATION, __version__
from splu_ref.channels import ParameterError, SpluError, offer_options, options_spoken
from splu_ref.output import say, settle_streams

GROUPS: dict[str, dict[str, str]] = {
    "Publish": {
        "advise": "Advise a publisher: whether to publish a table by SPLU-Gen, and the command to run.",
        "publish": "Publish a table: by SPLU-Gen, which draws sensitive values within decoy groups, or "
        "another mechanism.",
        "key": "Make a secret key from the system's entropy, readable by its owner alone.",
    },
    "Analyze": {
        "estimate": "Estimate how many records of the original satisfy a conjunction, with a 95 % interval.",
        "sample-size": "Compute how many rows keep the error of an estimate below epsilon with probability 1 "
        "- delta.",
    },
    "Guarantees": {
        "privacy": "Compute T_P: the probability with which every count up to alpha is published wrongly.",
        "utility": "Compute how accurate large counts are: exactly, not by a bound.",
        "concept": "Compute T_P for a predicate together with a sensitive value, and the worst such concept.",
        "breach": "Say whether a record's published value can lift a belief from rho1 or less to rho2 or "
        "more.",
        "operator": "Find the optimal randomization matrix under a bound on posterior beliefs, with its "
        "proof.",
        "entropy": "Compute the entropy that each record loses by the release of a statistic, exactly.",
        "useful": "Compute the error probability of a query on an alpha-beta release, and the release's "
        "privacy.",
    },
    "Audit": {
        "audit": "Check a publisher's claims by exact arithmetic: confirmed, narrowed, refuted or not "
        "decided.",
        "audit-release": "Test whether a published table was made by the mechanism that its publisher "
        "claims.",
        "check": "Re-check a certificate by integer arithmetic alone. Exit 0: valid, 1: false, 2: "
        "unreadable.",
        "attack": "Publish a table as its manifest says, attack every record, and compare with the exact "
        "prediction.",
        "anonymity": "Count how anonymous a table is: k, l, alpha and t, exactly.",
        "claims": "Show the claims of the source papers with their status: proved, refuted or corrected.",
    },
    "Implement and verify": {
        "verify": "Run the verification suite: ledger, certificates, enumeration, embedded data; full adds "
        "the rest.",
        "vectors": "Write the test vectors for other implementations, with their JSON Schema.",
        "conform": "Test another implementation against the test vectors, and its random releases against "
        "their law.",
        "page": "Write calculator, certificate checker and auditor as one HTML page that needs no "
        "installation.",
    },
}
"""By group the commands, with their summaries: the first paragraph of their help."""
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
"""By command its summary."""
RENAMED = {"sanitize": "publish"}
"""Former names of commands."""
LONGEST_MESSAGE = 1_000
"""Characters of an error message; longer messages are shortened in the middle."""
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


@dataclass(frozen=True)
class _UnvalidatedParameter:
    """Conversion of the command line's words into the value of one parameter."""

    kind: type[str | bool | Path]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter; a tuple if the parameter may be repeated."""
        if param.multiple or param.nargs == -1:
            return tuple(self.kind(each) for each in value or ())
        return None if value is None else self.kind(value)


_KINDS: dict[Any, type[str | bool | Path]] = {str: str, list[str]: str, Path: Path, bool: bool}


def _skip_validation(parameters: list[Any]) -> list[Any]:
    """Take texts, paths and flags without validation.

    Typer validates them with a library that takes as long to load as NumPy. With a version of Typer that
    does so in another way, the program is slower, with the same result.
    """
    for parameter in parameters:
        kind = _KINDS.get(getattr(getattr(parameter, "type_descriptor", None), "annotation", None))
        if kind is not None:
            parameter.get_runtime_param = partial(_UnvalidatedParameter, kind)
    return parameters


class _Command(TyperCommand):
    """A loaded command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, including that of the help."""
        return _skip_validation(super().get_params(ctx))


class Program(TyperGroup):
    """The group of all commands; the module of a command is loaded when the command runs."""

    package = "splu_ref.cli"
    """Package of the commands' modules."""
    groups: Mapping[str, Mapping[str, str]] = GROUPS
    """The commands under the headings of the help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, by group."""
        width = max(map(len, self.commands))
        for heading, names in self.groups.items():
            with formatter.section(heading):
                limit = formatter.width - 6 - width
                rows = [(name.ljust(width), self.commands[name].get_short_help_str(limit)) for name in names]
                formatter.write_dl(rows)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, including that of the help."""
        return _skip_validation(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that the first word names, and the words after it."""
        if args[0] in RENAMED and args[0] not in self.commands:
            new = RENAMED[args[0]]
            raise ParameterError(f"{args[0]} is now {new}: write splu-ref {new} with the same options")
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


@cache
def command(name: str, package: str = Program.package) -> Any:
    """Load a command's module and return the command object."""
    module = import_module(f"{package}.{name.replace('-', '_')}")
    alone = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
        context_settings=HELP_OPTIONS,
    )  # fmt: skip
    alone.command(name=name, cls=_Command, epilog=f"Example: {module.EXAMPLE}")(module.run)
    return typer.main.get_command(alone)


def _not_loaded() -> None:
    """Do nothing: the placeholder of a command in the list of commands."""


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
    """Publish data with small-sum privacy and large-sum utility, and compute the exact guarantees.

    Numbers in a guarantee are exact: write 0.3 or 3/10. Exit codes: 0 success, 1 a claim or check fails,
    2 invalid input or options, 3 inconclusive.
    """


def run(arguments: Sequence[str] | None = None, program: typer.Typer = app, name: str = "splu-ref") -> int:
    """Run a program with the given words and return its exit code."""
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
        return _refuse("out of memory: give a smaller input, or use a machine with more memory")
    except OSError as error:
        return _refuse(
            f"{error.filename or 'input'}: {error.strerror or error}: check the path and its rights"
        )
    return code if isinstance(code, int) else 0


def _with_remedy(error: typer.TyperException, name: str) -> str:
    """Return the message of an error in the command line, with an example and a pointer to the help."""
    context = getattr(error, "ctx", None)
    program = name if context is None else context.command_path
    example = None if context is None or context.parent is None else context.command.epilog
    shown = "" if not example or type(error) is typer.BadParameter else f" ({example})"
    return f"{error.format_message().rstrip('.')}: see {program} --help{shown}"


def _refuse(message: str) -> int:
    """Print an error on one line, shortened if it is long, and return exit code 2."""
    line = " ".join(message.split())
    if len(line) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2 - 2
        line = f"{line[:half]} … {line[-half:]}"
    say(f"splu-ref: {line}", stderr=True)
    return 2
