"""Vectors of manifests of releases by a matrix."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.groups.operators import EXAMPLE, PAGE
from splu_ref.conformance.groups.secrets import document_of, sent
from splu_ref.mechanisms import Operator
from splu_ref.mechanisms.retention_replacement import digest_of


def groups() -> Iterator[Group]:
    """Yield the vector file of the manifests."""
    yield Group("manifest", "operator", "Manifests of releases by a matrix.", PAGE, tuple(_manifests()))


def _manifests() -> Iterator[Case]:
    facts = Operator("job", ("cook", "nurse", "smith"), EXAMPLE).facts()
    entries = [{"column": "job", "domain": ["cook", "nurse", "smith"]}]
    valid = document_of(method="operator", gamma=None, plan=None, retention=None, sensitive=entries, **facts)
    valid = {name: value for name, value in valid.items() if value is not None}
    for name, changed in (
        ("as-told", {}),
        ("shuffled", {"order": "shuffled"}),
        ("decimals", {"matrix": '[["0.5","1/3","1/6"],["0","0.25","0.75"],["2/10","0","8/10"]]'}),
        ("domain-in-another-order", {"sensitive": [{"column": "job", "domain": ["smith", "cook", "nurse"]}]}),
    ):
        yield Case(name, sent({**valid, **changed}))
    two = [*entries, {"column": "sex", "domain": ["F", "M"]}]
    both = [("job", ("cook", "nurse", "smith")), ("sex", ("F", "M"))]
    for label, flag, bad in (
        ("no-matrix", "Missing", {"matrix": None}),
        ("matrix-of-numbers", "WrongType", {"matrix": "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"}),
        ("matrix-as-a-list", "WrongType", {"matrix": EXAMPLE}),
        ("matrix-that-is-no-json", "WrongType", {"matrix": "1/2"}),
        ("matrix-of-two-rows", "OutOfRange", {"matrix": '[["1/2", "1/2"], ["0", "1"]]'}),
        ("row-without-a-sum-of-1", "OutOfRange", {"matrix": str(facts["matrix"]).replace("1/6", "1/7")}),
        ("another-order", "Unknown", {"order": "sorted"}),
        ("digest-of-another-domain", "OutOfRange", {"domains": "0" * 64}),
        ("two-columns", "OutOfRange", {"sensitive": two, "domains": digest_of(both)}),
    ):
        damaged = {name: value for name, value in {**valid, **bad}.items() if value is not None}
        yield Case(label, sent(damaged), (flag,), "parameter")
