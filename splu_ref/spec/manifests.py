"""Manifests: the public facts of a release, as one JSON object.

A manifest must contain no true count, no deleted record, no plan or its secret, no key and no seed. A reader
refuses a manifest that is damaged, or that was changed so that it contradicts itself: one that breaks a rule
of this module. Keys that no rule names are ignored. Manifests are an addition of this specification.

The keys of an object may have any order. Every manifest has ``schema`` (``splu-ref/manifest/2``),
``method``, ``rows``, ``sensitive`` (objects with ``column`` and ``domain``, in the order of publishing),
``table`` (the digest of the published table), ``release`` (32 hexadecimal digits), ``date`` (of publishing,
in UTC) and ``produced_by``: an object with ``version``, ``spec`` (the number of the specification) and
``code`` (SHA-256 of the path and the content of each Python file, ascending by path, each with its length as
8 bytes before it). ``batches`` has the numbers of rows if there are several batches, and ``batch_tables``
the digest of the rows of each, computed as ``table`` is, if it is known which rows these are
(`splu_ref.spec.batches`); ``recoded`` has the steps of `splu_ref.spec.recoding` if there are any; ``id`` the
column that identified a record under a key, if one did and that is recorded; ``missing`` the text that was
published for cells of sensitive columns without content, if there is one; ``observed_domain`` is true if
domains that the method needs to be declared were taken from the table, so that a bound for a record does not
hold, false if they were declared, and missing if that is not known. Fractions are texts in lowest terms, and
JSON texts have a blank after each comma. The other keys depend on the method:

- ``SPLU-Gen``: ``gamma``, ``retention`` and ``plan``; ``draws`` if they are dependent.
- ``SPLU-Gen by column``: the same; the first three are objects by column (`splu_ref.spec.by_column`).
- ``Anatomy``: ``gamma`` and ``plan``. ``table`` is the digest of the quasi-identifier table;
  ``sensitive_table``, which may be missing, is that of the other.
- ``DBR``: none.
- ``retention replacement``: ``retention``, ``replacing``, ``order``, ``domains`` (a digest); ``laws`` if the
  replacements are given; ``unit`` if it is ``record``.
- ``swapping``: ``retention``.
- ``operator``: ``matrix`` (a JSON text), ``order`` and ``domains``.
- ``small-domain randomization``: ``amplification``; ``order``; ``by``, the JSON text of the list of the
  dividing columns; ``parts``, the JSON text of a list of pairs of cells and values, both lists of texts,
  ascending by code point. ``sensitive`` has all values of all parts.
- ``perturbed generalization``: ``retention``; ``least``, the k of the groups; ``quasi``, the JSON text of a
  list of pairs of a generalized column and ``number`` or ``text``; ``domains``.
- ``alpha-beta``: ``alpha``, ``beta`` and ``domains``, the digest for all published columns.
- ``Laplace counts``: ``budget``, a fraction, or ``ln`` with a fraction.

The operation ``manifest`` of the conformance protocol reads the methods of `METHODS`; no vector has another
one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from splu_ref.spec.errors import Refused, require
from splu_ref.spec.recoding import require_step
from splu_ref.spec.requests import exact

SCHEMAS = ("splu-ref/manifest/1", "splu-ref/manifest/2")
"""The schemas that are read. The first has neither ``table``, ``release`` nor ``date``, and no ``code``."""

LARGEST_BOUND = 2**63
"""The largest bound of an integer that a record draws."""

Object = Mapping[str, object]
Facts = list[tuple[str, str]]


@dataclass(frozen=True)
class Manifest:
    """What a manifest says.

    Attributes
    ----------
    method
        Name of the mechanism.
    facts
        Its parameters as names and texts, in the order of the message of a release key.
    rows
        Records of the release.
    batches
        Records of each batch, oldest first; empty if there is one.
    sensitive
        Each sensitive column with its domain, in the order of publishing.
    table
        Digest of the published table; None in the first schema.
    """

    method: str
    facts: Facts
    rows: int
    batches: list[int]
    sensitive: list[tuple[str, list[str]]]
    table: str | None


def read_manifest(content: bytes) -> Manifest:
    """Return what a manifest says, or refuse its bytes.

    >>> content = '''{"schema": "splu-ref/manifest/1", "method": "DBR", "rows": 2,
    ...   "sensitive": [{"column": "v", "domain": ["a", "b"]}]}'''
    >>> read_manifest(content.encode()).sensitive
    [('v', ['a', 'b'])]
    """
    try:
        document = json.loads(content.decode(), object_pairs_hook=_unrepeated)
    except (ValueError, RecursionError):
        raise Refused("this is no JSON, or an object has a key twice") from None
    found = _an_object(document)
    schema, method = _text(found, "schema"), _text(found, "method")
    require(schema in SCHEMAS, "this is no manifest of a known schema")
    require(method in METHODS, "the method is not known")
    rows = _integer(found, "rows", 0 if method == "alpha-beta" else 1)
    columns = [_an_object(entry) for entry in _a_list(_field(found, "sensitive"))]
    sensitive = [(_text(column, "column"), _domain(column)) for column in columns]
    names = [name for name, _ in sensitive]
    require(len(names) > 0 and len(set(names)) == len(names), "no column is sensitive, or one stands twice")
    for step in _a_list(found.get("recoded", [])):
        require_step(_an_object(step))
    for name in ("missing", "id"):
        if name in found:
            _text(found, name)
    observed = found.get("observed_domain", False)
    require(isinstance(observed, bool), "observed_domain is neither true nor false")
    _require_batch_tables(found)
    table = None
    if schema == SCHEMAS[1]:
        table = _matching(found, "table", "[0-9a-f]{64}")
        _matching(found, "release", "[0-9a-f]{32}")
        _matching(found, "date", "[0-9]{4}-[0-9]{2}-[0-9]{2}")
        producer = _an_object(_field(found, "produced_by"))
        _text(producer, "version")
        _text(producer, "spec")
        _matching(producer, "code", "[0-9a-f]{64}")
    return Manifest(method, METHODS[method](found, dict(sensitive)), rows, _batches(found), sensitive, table)


# Fields


def _unrepeated(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return an object of which no key stands twice."""
    require(len(dict(pairs)) == len(pairs), "a key stands twice")
    return dict(pairs)


def _an_object(value: object) -> Object:
    """Return a value that must be an object."""
    require(isinstance(value, dict), "this is no object")
    assert isinstance(value, dict)
    return value


def _a_list(value: object) -> Sequence[object]:
    """Return a value that must be a list."""
    require(isinstance(value, list), "this is no list")
    assert isinstance(value, list)
    return value


def _a_text(value: object) -> str:
    """Return a value that must be a text of whole characters."""
    require(isinstance(value, str) and not re.search("[\ud800-\udfff]", value), "this is no text")
    return str(value)


def _field(found: Object, name: str) -> object:
    """Return a value that must be there."""
    require(name in found, f"{name} is missing")
    return found[name]


def _text(found: Object, name: str) -> str:
    """Return a text."""
    return _a_text(_field(found, name))


def _number(found: Object, name: str) -> Fraction:
    """Return an exact number, which is written in a text: a JSON number is refused."""
    return exact(_text(found, name))


def _integer(found: Object, name: str, least: int) -> int:
    """Return an integer: a JSON number without fraction."""
    return _at_least(_field(found, name), least)


def _at_least(value: object, least: int) -> int:
    """Return a value that must be an integer of at least so much."""
    require(type(value) is int, "this is no integer")
    assert isinstance(value, int)
    require(value >= least, "an integer is too small")
    return value


def _matching(found: Object, name: str, form: str) -> str:
    """Return a text of a form."""
    require(re.fullmatch(form, _text(found, name)) is not None, f"{name} is of another form")
    return _text(found, name)


def _choice(found: Object, name: str, *words: str) -> str:
    """Return one of some words."""
    require(_text(found, name) in words, f"{name} is none of {', '.join(words)}")
    return _text(found, name)


def _domain(column: Object) -> list[str]:
    """Return the domain of a column: one or more texts, none twice."""
    values = [_a_text(value) for value in _a_list(_field(column, "domain"))]
    require(len(values) > 0 and len(set(values)) == len(values), "a domain is empty, or a value stands twice")
    return values


def _require_batch_tables(found: Object) -> None:
    """Require one digest for each batch, or none."""
    digests = _a_list(found.get("batch_tables", []))
    for digest in digests:
        require(re.fullmatch("[0-9a-f]{64}", _a_text(digest)) is not None, "batch_tables is no digest")
    require(len(digests) in (0, len(_batches(found))), "batch_tables has not one digest for each batch")


def _batches(found: Object) -> list[int]:
    """Return the records of each batch: at least two batches, which add up to the rows, or none."""
    if "batches" not in found:
        return []
    rows = [_at_least(entry, 1) for entry in _a_list(found["batches"])]
    require(len(rows) > 1 and sum(rows) == found["rows"], "the batches do not add up to the rows")
    return rows


# Methods


def _retention(found: Object) -> Fraction:
    """Return the retention of a mechanism other than SPLU-Gen: 0 <= p < 1."""
    kept = _number(found, "retention")
    require(0 <= kept < 1, "the retention is not within 0 and 1")
    return kept


def _sorted_domains(domains: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
    """Return the columns ascending, each with its values ascending, by code point."""
    return [(name, sorted(domains[name])) for name in sorted(domains)]


def _require_digest(found: Object, domains: Mapping[str, Sequence[str]]) -> str:
    """Return the text ``domains``: the SHA-256 of the sorted domains as JSON without white space."""
    listed = [[name, values] for name, values in _sorted_domains(domains)]
    compact = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(compact.encode()).hexdigest()
    require(_text(found, "domains") == digest, "domains is not the digest of the sensitive columns")
    return digest


def _rows_of_fractions(written: str) -> list[list[Fraction]]:
    """Return the rows of a JSON text: lists of exact numbers, which are texts again.

    >>> _rows_of_fractions('[["1/2", "0.5"]]')
    [[Fraction(1, 2), Fraction(1, 2)]]
    """
    try:
        rows = json.loads(written)
    except (ValueError, RecursionError):
        raise Refused("this is no JSON") from None
    return [[exact(_a_text(entry)) for entry in _a_list(row)] for row in _a_list(rows)]


def _require_laws(rows: Sequence[Sequence[Fraction]], sizes: Sequence[int]) -> None:
    """Refuse rows that are not laws, one probability for each value."""
    require([len(row) for row in rows] == list(sizes), "there is not one probability for each value")
    require(all(min(row) >= 0 and sum(row) == 1 for row in rows), "a row is no law")


def _written_rows(rows: Sequence[Sequence[Fraction]]) -> str:
    """Return rows of fractions as JSON text."""
    return json.dumps([[str(entry) for entry in row] for row in rows])


def splu_gen(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return gamma, retention and plan, and the law of the draws if it is not ``independent``."""
    del domains
    gamma, kept = _integer(found, "gamma", 2), _number(found, "retention")
    require(0 < kept <= 1, "the retention is not within 0 and 1")
    facts = [("gamma", str(gamma)), ("retention", str(kept)), ("plan", _choice(found, "plan", *PLANS))]
    law = _text(found, "draws") if "draws" in found else "independent"
    form = re.fullmatch("independent|(capped|all-or-none):[1-9][0-9]*", law)
    require(form is not None, "the law of the draws is not known")
    require(law == "independent" or kept == Fraction(1, gamma), "such draws have the retention 1/gamma")
    _require_multiples(found, gamma)
    return facts if law == "independent" else [*facts, ("draws", law)]


PLANS = ("mixed", "anatomy", "cyclic")


def _require_multiples(found: Object, gamma: int) -> None:
    """Refuse a release, or a batch of it, whose records are no multiple of gamma."""
    require(
        all(rows % gamma == 0 for rows in (_integer(found, "rows", 1), *_batches(found))),
        "no multiple of gamma",
    )


def anatomy(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return gamma and plan. ``sensitive_table``, the digest of the second table, may be missing."""
    del domains
    gamma = _integer(found, "gamma", 2)
    _require_multiples({"rows": _field(found, "rows")}, gamma)
    if "sensitive_table" in found:
        _matching(found, "sensitive_table", "[0-9a-f]{64}")
    return [("gamma", str(gamma)), ("plan", _choice(found, "plan", *PLANS))]


def distribution_based(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return no parameters."""
    del found, domains
    return []


def laplace_counts(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return the budget: an exact number above 0, or ``ln`` of one above 1."""
    del domains
    written = _text(found, "budget")
    budget, logarithm = exact(written.removeprefix("ln ")), written.startswith("ln ")
    require(budget > logarithm, "the budget is not above 0")
    return [("budget", f"ln {budget}" if logarithm else str(budget))]


def retention_replacement(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return retention, replacing, order, domains, the given laws, and the unit if it is ``record``."""
    kept = _retention(found)
    replacing = _choice(found, "replacing", "uniform", "given", "identity")
    facts = [
        ("retention", str(kept)),
        ("replacing", replacing),
        ("order", _choice(found, "order", "kept", "shuffled")),
    ]
    require(all(len(values) > 1 for values in domains.values()), "a domain has one value")
    facts.append(("domains", _require_digest(found, domains)))
    sizes = [len(values) for _, values in _sorted_domains(domains)]
    weights = sizes
    if replacing == "given":
        laws = _rows_of_fractions(_text(found, "laws"))
        _require_laws(laws, sizes)
        weights = [lcm(*(share.denominator for share in law)) for law in laws]
        facts.append(("laws", _written_rows(laws)))
    if replacing != "identity":
        require(
            kept.denominator * max(weights) <= LARGEST_BOUND, "the probabilities have too large denominators"
        )
    unit = _choice(found, "unit", "cell", "record") if "unit" in found else "cell"
    require(unit == "cell" or replacing != "identity", "one coin for a record does not go with identity")
    return facts if unit == "cell" else [*facts, ("unit", "record")]


def swapping(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return the retention."""
    del domains
    kept = _retention(found)
    require(kept.denominator <= LARGEST_BOUND, "the retention has too large a denominator")
    return [("retention", str(kept))]


def alpha_beta(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return alpha, beta and domains."""
    alpha, beta = _number(found, "alpha"), _number(found, "beta")
    require(alpha > 0 and beta >= 0 and alpha + beta <= 1, "alpha and beta are no such chances")
    return [("alpha", str(alpha)), ("beta", str(beta)), ("domains", _require_digest(found, domains))]


def operator(found: Object, domains: Mapping[str, Sequence[str]]) -> Facts:
    """Return the matrix, its rows and columns ascending by value; the order of the rows, and domains."""
    order = _choice(found, "order", "kept", "shuffled")
    require(len(domains) == 1, "an operator has one sensitive column")
    [values] = domains.values()
    matrix = _rows_of_fractions(_text(found, "matrix"))
    require(
        len(values) > 1 and len(matrix) == len(values),
        "the matrix has not a row for each of two or more values",
    )
    _require_laws(matrix, [len(values)] * len(values))
    bounds = [lcm(*(entry.denominator for entry in row)) for row in matrix]
    require(max(bounds) <= LARGEST_BOUND, "the probabilities have too large denominators")
    return [("matrix", _written_rows(matrix)), ("order", order), ("domains", _require_digest(found, domains))]


METHODS: Mapping[str, Callable[[Object, Mapping[str, Sequence[str]]], Facts]] = {
    "SPLU-Gen": splu_gen,
    "Anatomy": anatomy,
    "DBR": distribution_based,
    "Laplace counts": laplace_counts,
    "retention replacement": retention_replacement,
    "swapping": swapping,
    "alpha-beta": alpha_beta,
    "operator": operator,
}
"""By method, what reads its parameters of a manifest and the domains of its columns."""
