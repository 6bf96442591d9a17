"""A file of claims, validated: every number exact and in its range before anything is computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict

from splu_ref.audit.claims.claim import (
    Claim,
    ClaimsFile,
    ConceptPrivacy,
    CountError,
    CountPrivacy,
    CountUtility,
    ThresholdFormula,
)
from splu_ref.audit.claims.document import Document, read_document
from splu_ref.audit.claims.fields import Fields
from splu_ref.audit.claims.format import (
    DEFAULTS,
    ESTIMATORS,
    FORMULAS,
    KINDS,
    MAX_CLAIMS,
    MECHANISM,
    PREDICATES,
    SCHEMA,
    TOP,
)
from splu_ref.model import Gamma, positive, probability, retention_probability, whole

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
        for key, checked in _DEFAULT_NUMBERS.items():
            if key in fields:
                fields.number(key, checked)
        for key, choices in (("mechanism", (MECHANISM,)), ("estimator", ESTIMATORS)):
            if key in fields:
                fields.choice(key, choices)
    return release


class _Common(TypedDict):
    id: str
    kind: str
    line: int
    key_lines: Mapping[str, int]
    written: Mapping[str, str]
    source: str
    gamma: Gamma
    retention: Fraction
    epsilon: Fraction


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
    kind_name = alone.choice("kind", tuple(KINDS))
    kind = KINDS[kind_name]
    alone.refuse_unknown(kind.keys, f"a claim of kind {kind_name}")
    inherited = ("mechanism", "gamma", "retention", "epsilon", *kind.inherited)
    defaults = {key: value for key, value in release.items() if key in inherited}
    fields = Fields(document, path, defaults, name)
    fields.require(("gamma", "epsilon", *kind.required), inherited)
    if "mechanism" in fields:
        fields.choice("mechanism", (MECHANISM,))
    gamma = fields.number("gamma", _gamma)
    common: _Common = {
        "id": name,
        "kind": kind_name,
        "line": fields.line,
        "key_lines": fields.key_lines,
        "written": fields.written,
        "source": fields.text("source"),
        "gamma": gamma,
        "retention": fields.number("retention", _retention) if "retention" in fields else Fraction(1, gamma),
        "epsilon": fields.number("epsilon", positive),
    }
    return _BUILDERS[kind_name](fields, common)


def _count_privacy(fields: Fields, common: _Common) -> CountPrivacy:
    if "estimator" in fields:
        fields.choice(
            "estimator",
            ("mle",),
            'small-sum-privacy is about the published count: write "mle", or kind = "concept-privacy"',
        )
    return CountPrivacy(
        **common,
        alpha=fields.number("alpha", _count),
        t_p=fields.number("t_p", probability),
        releases=fields.number("releases", _count) if "releases" in fields else 1,
    )


def _count_utility(fields: Fields, common: _Common) -> CountUtility:
    return CountUtility(**common, t_e=fields.number("t_e", probability), t_f=fields.number("t_f", _count))


def _count_error(fields: Fields, common: _Common) -> CountError:
    if ("t_e" in fields) == ("t_p" in fields):
        fields.refuse(
            "t_e" if "t_e" in fields else "id",
            "say either t_e, the error probability at most, or t_p, the error probability at least",
        )
    at_least = "t_p" in fields
    bound = fields.number("t_p" if at_least else "t_e", probability)
    return CountError(**common, frequency=fields.number("frequency", _count), bound=bound, at_least=at_least)


def _concept_privacy(fields: Fields, common: _Common) -> ConceptPrivacy:
    releases = fields.number("releases", _count) if "releases" in fields else 1
    if releases != 1:
        fields.refuse(
            "releases",
            "several releases are treated for a value alone only: write releases = 1, and kind = "
            '"small-sum-privacy" for a claim about several',
        )
    if common["retention"] != Fraction(1, common["gamma"]):
        fields.refuse(
            "retention", f'concepts are treated at retention 1/gamma only: write "1/{common["gamma"]}"'
        )
    return ConceptPrivacy(
        **common,
        alpha=fields.number("alpha", _count),
        t_p=fields.number("t_p", probability),
        estimator=fields.choice("estimator", ESTIMATORS),
        predicates=fields.choice("predicates", PREDICATES) if "predicates" in fields else "any",
    )


def _threshold_formula(fields: Fields, common: _Common) -> ThresholdFormula:
    t_e = fields.number("t_e", probability)
    if t_e == 0:
        fields.refuse("t_e", "t_e is 0, at which no formula gives a count: write a number greater than 0")
    return ThresholdFormula(**common, t_e=t_e, formula=fields.choice("formula", FORMULAS))


def _gamma(value: str | int, _: str) -> Gamma:
    return Gamma(value)


def _retention(value: str | int, _: str) -> Fraction:
    return retention_probability(value, Gamma(2))  # the group size matters for the default only


def _count(value: str | int, name: str) -> int:
    return whole(value, name, 1)


_DEFAULT_NUMBERS: dict[str, Callable[[str | int, str], Any]] = {
    "gamma": _gamma,
    "retention": _retention,
    "epsilon": positive,
    "releases": _count,
}
_BUILDERS: dict[str, Callable[[Fields, _Common], Claim]] = {
    "small-sum-privacy": _count_privacy,
    "large-sum-utility": _count_utility,
    "error-at-count": _count_error,
    "concept-privacy": _concept_privacy,
    "threshold-formula": _threshold_formula,
}
