"""What a full run of the checks on the shipped code found, from its JUnit report."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

from property_tests.checks import CHECKS
from property_tests.mutants.matrix import SHIPPED_NAME, Cell, ShippedResult
from splu_ref.channels.parameters import InputError
from splu_ref.mechanisms.manifest import code_digest


@cache
def code_tried() -> str:
    """Return a digest of the shipped code and of the checks: a report of other code says nothing of this."""
    digest = sha256(code_digest().encode())
    for file in sorted(Path(__file__).parents[1].rglob("*.*")):
        if file.suffix in {".py", ".json"}:
            digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def shipped_results(file: Path, seed: str) -> dict[str, ShippedResult]:
    """Return the checks that this code passed under a seed, by name; those that failed are left out.

    Parameters
    ----------
    file
        The report that ``pytest --junitxml`` wrote of `property_tests`.
    seed
        The seed that the run must have had.

    Raises
    ------
    InputError
        If the file is no such report.
    """
    try:
        # The file comes from a run of this suite, so it cannot be an attack on the parser.
        report = ElementTree.parse(file)
    except (OSError, ElementTree.ParseError) as error:
        raise InputError(f"{file} is no JUnit report ({error}): give one of pytest --junitxml") from None
    found: dict[str, ShippedResult] = {}
    for case in report.iter("testcase"):
        properties = {item.get("name", ""): item.get("value", "") for item in case.iter("property")}
        check = (case.get("name") or "").removeprefix("test_shipped[").removesuffix("]")
        killed = any(part.tag in {"failure", "error", "skipped"} for part in case)
        same = properties.get("run_seed") == seed and properties.get("code") == code_tried()
        if killed or not same or check not in CHECKS:
            continue
        value = properties.get("log10_e", "None")  # so pytest writes what has none
        found[check] = ShippedResult(
            cell=Cell(
                mutant=SHIPPED_NAME,
                check=check,
                state="alive",
                log10_e=None if value == "None" else float(value),
                seconds=float(case.get("time") or 0),
            ),
            used=frozenset(properties["used"].split()),
        )
    return found
