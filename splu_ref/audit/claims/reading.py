"""A file of claims: kinds that can be decided (another one is a row of `KINDS`), reading and deciding."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_ref.audit.claims.anonymity import KAnonymity, LDiversity, TCloseness
from splu_ref.audit.claims.claim import Claim, ClaimsFile, Common
from splu_ref.audit.claims.concepts import ConceptPrivacy
from splu_ref.audit.claims.document import (
    ALWAYS,
    DEFAULTS,
    ESTIMATORS,
    MAX_CLAIMS,
    MECHANISMS,
    RETENTION,
    SCHEMA,
    SPLU_GEN,
    TOP,
    Document,
    read_document,
)
from splu_ref.audit.claims.entropy import EntropyClaim
from splu_ref.audit.claims.fields import Fields, count, group_draws, group_size, retained
from splu_ref.audit.claims.privacy import CountPrivacy
from splu_ref.audit.claims.quotes import Ledger, LedgerError, quote
from splu_ref.audit.claims.retention import (
    MOST_COLUMNS,
    LocalEpsilon,
    Reconstructible,
    RhoPrivacy,
    domain_size,
    kept_share,
)
from splu_ref.audit.claims.tuples import DGammaPrivacy
from splu_ref.audit.claims.utility import CountError, CountUtility, ThresholdFormula
from splu_ref.audit.claims.verdict import Finding
from splu_ref.channels import InputError, WorkError, left, positive
from splu_ref.guarantees import Progress

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def read_claims(path: Path) -> ClaimsFile:
    """Read and validate a file of claims.

    Parameters
    ----------
    path
        A TOML file in the format of ``docs/auditing-claims.md``.

    Raises
    ------
    InputError
        If it cannot be used. The message is one line: the file, the line, the claim, the key, the remedy.
    """
    return claims_of(read_document(path))


def claims_of(document: Document) -> ClaimsFile:
    """Return the claims of a document that has been read; as `read_claims`."""
    contents = document.contents
    document.refuse_unknown(TOP, "the file")
    top = Fields(document, (), {}, "")
    if contents.get("schema") != SCHEMA:
        top.refuse("schema", f'the schema is missing or another one: write schema = "{SCHEMA}"')
    release = _release(document)
    tables = contents.get("claim", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        top.refuse("claim", "claim is no array of tables: write [[claim]], with two brackets")
    if not 1 <= len(tables) <= MAX_CLAIMS:
        top.refuse("claim", f"the file has {len(tables)} claims: write 1 to {MAX_CLAIMS} of [[claim]]")
    claims: dict[str, Claim] = {}
    for number in range(len(tables)):
        claim = _claim(document, number, release)
        same = claims.setdefault(claim.id.lower(), claim)
        if same is not claim:  # certificates are files, and some file systems ignore case
            document.refuse(
                f"the claim on line {same.line} has the id {same.id}: give each an id of its own, whatever "
                f"its case", "claim", number, "id", claim=claim.id,
            )  # fmt: skip
    return ClaimsFile(document.path, top.text("title"), tuple(claims.values()))


def _release(document: Document) -> Mapping[str, Any]:
    """Return the defaults, each checked, whether a claim uses it or not."""
    release = document.contents.get("release", {})
    if not isinstance(release, dict):
        document.refuse("release is no table: write [release], and its keys below it", "release")
    if release:
        fields = Fields(document, ("release",), {}, "")
        fields.refuse_unknown(DEFAULTS, "[release]")
        numbers = _DEFAULT_NUMBERS
        if release.get("mechanism") == RETENTION:
            numbers = {**numbers, "retention": kept_share}
        for key, checked in numbers.items():
            if key in fields:
                fields.number(key, checked)
        if "draws" in fields:
            group_draws(fields)
        if "values" in fields:
            fields.numbers("values", domain_size, MOST_COLUMNS)
        for key, choices in (("mechanism", MECHANISMS), ("estimator", ESTIMATORS)):
            if key in fields:
                fields.choice(key, choices)
    return release


def _claim(document: Document, number: int, release: Mapping[str, Any]) -> Claim:
    table = document.contents["claim"][number]
    identity = table.get("id")
    named = isinstance(identity, str) and _ID.fullmatch(identity) is not None
    name = identity if named else f"number {number + 1}"
    path = ("claim", number)
    alone = Fields(document, path, {}, name)
    if not named:
        alone.refuse("id", "the id is missing or unusable: write 1 to 64 letters, digits, - or _, in quotes")
    alone.require(("kind",), ())
    kind = KINDS[alone.choice("kind", tuple(KINDS))]
    known = (*ALWAYS, *kind.required, *kind.optional)
    alone.refuse_unknown(known, f"a claim of kind {kind.kind}")
    inherited = ("mechanism", *kind.inherited)
    defaults = {key: value for key, value in release.items() if key in inherited}
    fields = Fields(document, path, defaults, name)
    fields.require(kind.required, inherited)
    if "mechanism" in fields:
        fields.choice("mechanism", (kind.mechanism,))
    elif kind.mechanism != SPLU_GEN:
        fields.refuse(
            "mechanism",
            f'mechanism is missing: write mechanism = "{kind.mechanism}", in the claim or in [release]',
        )
    common = Common(
        id=name,
        line=fields.line,
        key_lines=fields.key_lines,
        written=fields.written,
        source=fields.text("source"),
    )
    return kind.read(fields, common)


_DEFAULT_NUMBERS: dict[str, Callable[[str | int, str], Any]] = {
    "gamma": group_size,
    "retention": retained,
    "epsilon": positive,
    "releases": count,
}


_CLASSES: tuple[type[Claim], ...] = (
    CountPrivacy, CountUtility, CountError, ConceptPrivacy, ThresholdFormula,
    RhoPrivacy, LocalEpsilon, Reconstructible, DGammaPrivacy, EntropyClaim,
    KAnonymity, LDiversity, TCloseness,
)  # fmt: skip

KINDS = {each.kind: each for each in _CLASSES}


def decide(claim: Claim, ledger: Ledger | None = None, *, progress: Progress | None = None) -> Finding:
    """Confirm, narrow or refute a claim by exact computation, or say that it is not decided.

    Parameters
    ----------
    claim
        As `splu_ref.audit.claims.read_claims` returns it.
    ledger
        The ledger of the paper's claims, for what is registered there as printed. Without it no quotation is
        recognized, and claims about printed formulas are refused.
    progress
        Called now and then with (work done, work in all).

    Raises
    ------
    InputError
        If the claim is too large to be decided, or needs a ledger; `LedgerError` if that cannot be loaded.
        The message names the line of the key, as far as one key is to blame, without the file.
    """
    try:
        finding = claim.decide(ledger, progress)
        if ledger is None:
            return finding
        repeated = [quote(ledger, row, how) for row, how in claim.repeats(ledger)]
        return replace(finding, quotes=tuple(repeated))
    except InputError as error:
        message = str(error)
        named = [word for word in message.split() if word in claim.key_lines]
        line = claim.key_lines[named[0]] if named else claim.line
        kind = LedgerError if isinstance(error, LedgerError) else InputError
        raise kind(f"line {line}, claim {claim.id}: {message}") from None


def foresee(file: ClaimsFile) -> None:
    """Raise if the claims of a file, each as it stands, would take more than what is left of the budget.

    Narrowing a claim that fails takes more; that is counted where it is done.

    Raises
    ------
    InputError
        With the line of the claim at which the work becomes too much.
    """
    work = 0
    for claim in file.claims:
        with suppress(InputError):  # it is refused before any work
            work += claim.work()
        if work > left():
            raise WorkError(
                f"{file.path}, line {claim.line}, claim {claim.id}: the claims up to this one take more than "
                f"about a minute together, this one with {claim.size}: divide the file, or give smaller "
                f"numbers"
            )
