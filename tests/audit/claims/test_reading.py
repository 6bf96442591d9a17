from __future__ import annotations

import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from splu_ref.audit.claims.claim import ClaimsFile
from splu_ref.audit.claims.document import parse_document
from splu_ref.audit.claims.privacy import CountPrivacy
from splu_ref.audit.claims.reading import KINDS, claims_of, read_claims
from splu_ref.channels.parameters import InputError
from tests.pace import within

HEAD = 'schema = "splu-ref/claims/1"\n'
CLAIM = (
    '[[claim]]\nid = "one"\nkind = "small-sum-privacy"\ngamma = 10\nepsilon = "0.3"\nalpha = 3\nt_p = "0.6"\n'
)


def _read(text: str | bytes) -> ClaimsFile:
    return claims_of(parse_document(text.encode() if isinstance(text, str) else text, "c.toml"))


def _refused(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        _read(text)
    message = str(caught.value)
    assert message.startswith("c.toml")
    assert "\n" not in message
    assert len(message) < 600
    return message


def test_numbers_are_exact_and_defaults_are_inherited(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(
        HEAD + 'title = "T"\n[release]\ngamma = "10"\nepsilon = "3/10"\nreleases = 2\nretention = "1/10"\n'
        '[[claim]]\nid = "a"\nkind = "small-sum-privacy"\nalpha = "3"\nt_p = "0.60"\nsource = "page 2"\n'
        '[[claim]]\nid = "b"\nkind = "small-sum-privacy"\nalpha = 0x10\nt_p = 1\nepsilon = "1e-1"\n'
        "releases = 1\n",
        encoding="utf-8-sig",
        newline="\r\n",
    )
    file = read_claims(path)
    first, second = file.claims
    assert (file.title, first.id, first.line, first.source) == ("T", "a", 8, "page 2")
    assert isinstance(first, CountPrivacy)
    assert isinstance(second, CountPrivacy)
    assert (first.law.gamma, first.epsilon, first.t_p, first.alpha) == (
        10,
        Fraction(3, 10),
        Fraction(3, 5),
        3,
    )
    assert (first.releases, second.releases, second.alpha) == (2, 1, 16)
    assert second.epsilon == Fraction(1, 10)
    assert first.written["t_p"] == "0.60"
    assert first.key_lines == {"id": 9, "kind": 10, "alpha": 11, "t_p": 12, "source": 13}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("0.3", "0.3"), None),
        (('"0.3"', "0.3"), ("line 6, claim one: epsilon is the floating-", 'epsilon = "0.3"')),
        (('"0.3"', "3e-1_0"), ("line 6", 'write epsilon = "3e-10"')),
        (('"0.3"', "nan"), ("line 6", "epsilon is nan")),
        (('"0.3"', "-inf"), ("line 6", "epsilon is -inf")),
        (('"0.3"', "true"), ("line 6", "epsilon is no number")),
        (('"0.3"', "[0.3]"), ("line 6", "epsilon is no number")),
        (('"0.3"', "1979-05-27"), ("line 6", "epsilon is no number")),
        (('"0.3"', '"0"'), ("line 6", "greater than 0")),
        (('"0.3"', '"abc"'), ("line 6", "not a number")),
        (('"0.3"', "9" * 401), ("line 6", "400 digits")),
        (('"0.3"', "0x" + "f" * 900), ("line 6", "400 digits")),
        (('"0.6"', '"1.5"'), ("line 8", "between 0 and 1")),
        (("alpha = 3", "alpha = 0"), ("line 7", "at least 1")),
        (("alpha = 3", 'alpha = "2.5"'), ("line 7", "whole number")),
        (("alpha = 3\n", ""), ("line 2", "alpha is missing")),
        (("gamma = 10\n", 'gamma = "four"\n'), ("gamma is 'four'", "a whole number, such as gamma = 4")),
        (("gamma = 10\n", ""), ("gamma is missing", "[release]")),
        (("alpha =", "alhpa ="), ("line 7", "did you mean alpha?")),
        (("alpha =", "zzz ="), ("line 7", "its keys are")),
        (('"small-sum-privacy"', '"elsewhere"'), ("line 4", 'write "small-sum-privacy"')),
        (('"small-sum-privacy"', '"small-sum-privcy"'), ("line 4", "did you mean small-sum-privacy?")),
        (("kind =", "kinds ="), ("kind is missing",)),
        (('id = "one"', 'id = "../x"'), ("claim number 1", "letters, digits")),
        (('id = "one"\n', ""), ("line 2", "the id is missing")),
        (("[[claim]]", "[claim]"), ("line 2", "two brackets")),
        (("[[claim]]", "[[claims]]"), ("line 2", "did you mean claim?")),
        (("alpha = 3", "alpha = 3\nalpha = 4"), ("line 8", "no TOML")),
        (("alpha = 3", "alpha = "), ("line 7", "no TOML")),
        (("alpha = 3", 'estimator = "exact"\nalpha = 3'), ("line 7", "concept-privacy")),
        (("alpha = 3", 'mechanism = "Laplace"\nalpha = 3'), ("line 7", "SPLU-Gen")),
        (("alpha = 3", 'retention = "0"\nalpha = 3'), ("line 7", "greater than 0")),
        (("alpha = 3", 'retention = "11/10"\nalpha = 3'), ("line 7", "at most 1")),
        (("alpha = 3", "t_f = 3"), ("line 7", "no key 't_f'")),
        (("alpha = 3", 'source = "a\\u0007"\nalpha = 3'), ("line 7", "source is no text")),
        ((HEAD, ""), ("schema",)),
        (("claims/1", "claims/2"), ("line 1", "schema")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(change: tuple[str, str], words: tuple[str, ...] | None) -> None:
    text = (HEAD + CLAIM).replace(*change)
    if words is None:
        assert len(_read(text).claims) == 1
        return
    message = _refused(text)
    for word in words:
        assert word in message


def test_an_inherited_value_is_blamed_where_it_stands() -> None:
    text = HEAD + "[release]\ngamma = 10\nepsilon = 0.3\n" + CLAIM.replace('epsilon = "0.3"\n', "")
    assert "line 4:" in _refused(text)
    assert "did you mean gamma?" in _refused(text.replace("gamma = 10", "gama = 10", 1))
    assert "release is no table" in _refused(HEAD + "release = 1\n" + CLAIM)


def test_a_formula_needs_a_positive_error_probability() -> None:
    text = HEAD + CLAIM.replace("small-sum-privacy", "threshold-formula").replace("alpha = 3\n", "")
    text = text.replace("t_p", "t_e") + 'formula = "chebyshev"\n'
    assert len(_read(text).claims) == 1
    assert "line 7, claim one: t_e is 0" in _refused(text.replace('"0.6"', "0"))


def test_two_claims_of_one_name_are_refused() -> None:
    message = _refused(HEAD + CLAIM + CLAIM.replace('"one"', '"One"'))
    assert "line 10, claim One: the claim on line 2 has the id one" in message


def test_concepts_are_about_one_release_at_the_retention_of_the_paper() -> None:
    concept = CLAIM.replace("small-sum-privacy", "concept-privacy") + 'estimator = "exact"\n'
    assert len(_read(HEAD + concept).claims) == 1
    assert "releases = 1" in _refused(HEAD + "[release]\nreleases = 2\n" + concept)
    assert 'write "1/10"' in _refused(HEAD + concept + 'retention = "1/2"\n')
    assert "estimator is missing" in _refused(HEAD + concept.replace('estimator = "exact"\n', ""))


def test_an_error_at_a_count_has_one_bound() -> None:
    error = CLAIM.replace("small-sum-privacy", "error-at-count").replace("alpha", "frequency")
    assert len(_read(HEAD + error).claims) == 1
    assert "either t_e" in _refused(HEAD + error + 't_e = "0.5"\n')
    assert "either t_e" in _refused(HEAD + error.replace('t_p = "0.6"\n', ""))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"\xff\xfe", "not UTF-8"),
        (HEAD.encode() + b"\n# \xe9\n", "line 3: the text is not UTF-8"),
        (b"\x00", "no TOML"),
        (b"", "schema"),
        (b"a = " + b"[" * 3000 + b"]" * 3000, "line 1: the line has more than"),
        (b"a = " + b"[\n" * 30_000, "nested too deeply"),
        (b".".join([b"a"] * 60_000) + b" = 1", "break it up"),
        (HEAD.encode(), "0 claims"),
        ((HEAD + "claim = []\n").encode(), "0 claims"),
        ((HEAD + "claim = [{id = 1}]\n").encode(), "line 2, claim number 1"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_hostile_files_are_refused_soon(text: bytes, word: str) -> None:
    with within(5):
        assert word in _refused(text)


def _padded(size: int) -> str:
    """Return a claim with comments that make it so many bytes long."""
    lines, rest = divmod(size - len(HEAD + CLAIM), 1000)
    return HEAD + CLAIM + ("#" * 999 + "\n") * lines + "#" * rest


_LIMITS: dict[str, tuple[int, Callable[[int], str], str]] = {
    "bytes": (131_072, _padded, "at most 131072 bytes: divide it"),
    "characters of a line": (1000, lambda n: HEAD + CLAIM + "#" * n, "more than 1000 characters"),
    "claims": (
        100, lambda n: HEAD + "".join(CLAIM.replace("one", f"c{i}") for i in range(n)), "1 to 100",
    ),
    "digits": (400, lambda n: HEAD + CLAIM.replace("alpha = 3", "alpha = " + "9" * n), "400 digits"),
    "digits in quotes": (
        400, lambda n: HEAD + CLAIM.replace('"0.3"', '"1/' + "9" * n + '"'), "not a number",
    ),
    "characters of a title": (500, lambda n: f'{HEAD}title = "{"t" * n}"\n{CLAIM}', "title is no text"),
    "characters of a source": (500, lambda n: HEAD + CLAIM + f'source = "{"s" * n}"\n', "source is no text"),
    "characters of an id": (64, lambda n: HEAD + CLAIM.replace("one", "i" * n), "letters, digits"),
}  # fmt: skip
"""The largest size of everything, as the guide has it; a document with something of a size; the refusal."""


@pytest.mark.parametrize("what", _LIMITS)
def test_the_largest_size_is_read_and_one_more_is_refused(what: str) -> None:
    most, made, words = _LIMITS[what]
    assert len(_read(made(most)).claims) == (most if what == "claims" else 1)
    assert words in _refused(made(most + 1))


@pytest.mark.slow
def test_a_file_of_many_dotted_keys_is_read_soon() -> None:
    line = ".".join(["a"] * 495)
    text = "\n".join(f"[b{n}.{line}]" for n in range(131))
    with within(10):
        assert "no key 'b0'" in _refused(text)


def test_a_python_that_converts_few_digits() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert "write at most 400 digits" in _refused("x = " + "9" * 700)
    finally:
        sys.set_int_max_str_digits(before)


def test_every_kind_is_documented_with_its_keys() -> None:
    text = (Path(__file__).parents[3] / "docs" / "auditing-claims.md").read_text(encoding="utf-8")
    entries = dict(re.findall(r"^`([a-z-]+)`\n: (Keys .*?)\n\n", text, re.S | re.M))
    assert set(entries) == set(KINDS)
    for name, kind in KINDS.items():
        shared = {"gamma", "retention", "epsilon"} if kind.mechanism == "SPLU-Gen" else set()
        assert (
            set(re.findall(r"`([a-z_0-9]+)[` ]", entries[name])) >= {*kind.required, *kind.optional} - shared
        )


_VALUES = st.one_of(
    st.integers(-5, 20), st.floats(allow_nan=True), st.booleans(), st.just([]), st.text(max_size=6),
    st.sampled_from(["0.3", "1/2", "1e-999", "1e999", "0", "SPLU-Gen", "mle", "exact", "printed", *KINDS]),
)  # fmt: skip
_KEYS = st.sampled_from(
    ["id", "kind", "gamma", "epsilon", "alpha", "t_p", "t_e", "t_f", "frequency", "releases", "estimator",
     "formula", "predicates", "retention", "mechanism", "source", "nonsense"]
)  # fmt: skip


def _toml(value: object) -> str:
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08x}" for c in value if not 0xD800 <= ord(c) < 0xE000) + '"'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


@given(st.lists(st.dictionaries(_KEYS, _VALUES), max_size=3), st.dictionaries(_KEYS, _VALUES))
def test_a_document_of_any_values_is_read_or_refused(
    claims: list[dict[str, object]], release: dict[str, object]
) -> None:
    lines = [HEAD, "[release]", *(f"{key} = {_toml(value)}" for key, value in release.items())]
    for claim in claims:
        lines += ["[[claim]]", *(f"{key} = {_toml(value)}" for key, value in claim.items())]
    _read_or_refused("\n".join(lines).encode())


@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf")
@example(b"\r")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    _read_or_refused(data)


@settings(max_examples=200)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    text = bytearray((HEAD + "[release]\ngamma = 10\n" + CLAIM).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _read_or_refused(bytes(text))


def _read_or_refused(data: bytes) -> None:
    try:
        _read(data)
    except InputError as error:
        message = str(error)
        assert message.startswith("c.toml")
        assert len(message) < 600
        assert ": " in message
