"""A changed digit in claim, parameters, statement or evidence never passes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from splu_ref.certificate_checker import Unreadable, check_text
from splu_ref.channels import Levels
from splu_ref.guarantees import (
    Requirement,
    TupleChances,
    TupleLevels,
    best_operator,
    breach_certificate,
    certificate_text,
    d_gamma_certificate,
    error_certificate,
    operator_certificate,
    privacy_certificate,
    sample_size,
    sample_size_certificate,
    threshold_certificate,
)

SMALL = {
    "tuples": d_gamma_certificate(TupleChances.of("5/8", "1/6"), TupleLevels.of("1/20", "1/5")),
    "error": error_certificate(3, "1/2", 3),
    "error, another retention": error_certificate(3, "1/2", 3, retention="1/2"),
    "privacy, another retention": privacy_certificate(2, "2/5", 5, retention="3/4"),
    "no lower tail, another retention": threshold_certificate(4, "3/2", "1/20", retention="2/5"),
    "privacy": privacy_certificate(2, "2/5", 6),
    "threshold": threshold_certificate(3, "9/10", "1/10"),
    "no lower tail": threshold_certificate(5, "3/2", "1/20"),
    "threshold 1": threshold_certificate(2, "3/2", "1/4"),
    "breach": breach_certificate("1/2", 4, Levels.of("1/4", "1/2"), [2, 3, 15]),
    "safe": breach_certificate("1/5", 4, Levels.of("1/10", "1/2")),
    "safe, one prior": breach_certificate("1/5", 4, Levels.of("1/4", "1/2"), [2, 3, 15]),
    "operator": operator_certificate(
        best_operator(Requirement.of((3, 2), Levels.of("1/3", "1/2"), "share", "any"))
    ),
    "operator, sets": operator_certificate(
        best_operator(Requirement.of((4, 1), Levels.of("1/5", "1/2"), "least", "sets"))
    ),
    "rows": sample_size_certificate(sample_size("1/2", "1/4", "1/2", "1/10")),
    "one row": sample_size_certificate(sample_size("99/100", "1/2", "99/100", "99/100")),
}
COVERED = ("schema", "claim", "parameters", "statement", "evidence")


def passes(text: str) -> bool:
    try:
        return check_text(text).valid
    except Unreadable:
        return False


def covered_text(certificate: dict[str, Any]) -> tuple[str, int]:
    """The certificate with ``produced_by`` last, and the place from which on tampering is not detected."""
    ordered = {key: certificate[key] for key in (*COVERED, "produced_by")}
    text = json.dumps(ordered)
    return text, text.index('"produced_by"')


def changed(text: str, place: int, replacements: str) -> Iterator[str]:
    for replacement in replacements:
        if replacement != text[place]:
            yield text[:place] + replacement + text[place + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_character_of_a_small_certificate(name: str) -> None:
    text, end = covered_text(SMALL[name])
    assert passes(text)
    for place in range(end):
        if text[place] == " " and text[place - 1] in ",:":
            continue  # white space between JSON tokens means nothing
        replacements = "0123456789abcdef" if text[place] in "0123456789abcdef" else "0x"
        replacements = replacements[place % 5 :: 5] + "0"  # every place, and some of the digits
        for tampered in changed(text, place, replacements):
            assert not passes(tampered), f"place {place}: {tampered[max(0, place - 40) : place + 40]}"


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_character_left_out_or_doubled(name: str) -> None:
    text, end = covered_text(SMALL[name])
    for place in range(end):
        if text[place] == " " and text[place - 1] in ",:":
            continue
        assert not passes(text[:place] + text[place + 1 :])
        if text[place] not in "{}[]":
            assert not passes(text[:place] + text[place] + text[place:])


@pytest.mark.parametrize("name", SMALL)
def test_every_entry_left_out_added_or_retyped(name: str) -> None:
    for path in paths(SMALL[name]):
        for change in (
            "remove",
            "add",
            None,
            True,
            1,
            1.5,
            "",
            "0",
            "-1",
            "01",
            "A",
            [],
            {},
            ["0"],
            {"f": "1"},
        ):
            certificate = json.loads(certificate_text(SMALL[name]))
            parent, last = certificate, path[-1]
            for step in path[:-1]:
                parent = parent[step]
            if change == "remove":
                del parent[last]
            elif change == "add":
                if isinstance(parent, dict):
                    parent["extra"] = parent[last]
                else:
                    parent.append(parent[last])
            elif parent[last] == change and type(parent[last]) is type(change):
                continue
            else:
                parent[last] = change
            if path[0] == "produced_by" and len(path) == 2 and change in ("0", "-1", "01", "A"):
                assert passes(json.dumps(certificate)), "who produced it is not part of what is certified"
            else:
                assert not passes(json.dumps(certificate)), (path, change)


def paths(value: object, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, entry in items:
        yield (*before, key)
        yield from paths(entry, (*before, key))


def test_an_order_of_keys_and_white_space_do_not_matter() -> None:
    certificate = SMALL["privacy"]
    assert passes(json.dumps(dict(reversed(certificate.items())), indent=7))
