from __future__ import annotations

import json
import re
import shlex
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.cli import audit, main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "claims.toml"
HEAD = 'schema = "splu-ref/claims/1"\n[release]\ngamma = 10\nepsilon = "0.3"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.toml").write_bytes(EXAMPLE.read_bytes())
    return tmp_path


def _claim(identity: str, kind: str = "small-sum-privacy", **keys: object) -> str:
    lines = [f'{key} = "{value}"' for key, value in {"id": identity, "kind": kind, **keys}.items()]
    return "\n".join(["[[claim]]", *lines, ""])


def _json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["audit", *map(str, arguments), "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert main(["audit", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("splu-ref: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_example_of_the_documentation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, "claims.toml", "--report", "audit", code=1)
    verdicts = {claim["id"]: claim["verdict"] for claim in result["claims"]}
    assert verdicts == {
        "rare-diagnoses": "confirmed",
        "uncommon-diagnoses": "narrowed",
        "five-years": "narrowed",
        "common-diagnoses": "confirmed",
        "accuracy-at-900": "refuted",
        "accuracy-by-formula": "narrowed",
        "diagnoses-by-village": "narrowed",
    }
    claims = {claim["id"]: claim for claim in result["claims"]}
    assert (result["confirmed"], result["narrowed"], result["refuted"]) == (2, 4, 1)
    assert claims["uncommon-diagnoses"]["true_for"] == "true for alpha up to 3"
    assert claims["five-years"]["true_for"] == "true for alpha up to 2, or for up to 2 releases"
    assert claims["accuracy-by-formula"]["true_for"] == "true from T_f = 2401 on"
    quoted = {name: [quote["id"] for quote in claim["quotes"]] for name, claim in claims.items()}
    assert {name: ids for name, ids in quoted.items() if ids} == {
        "accuracy-at-900": ["splu.T3"],
        "accuracy-by-formula": ["splu.L1"],
        "diagnoses-by-village": ["splu.L3"],
    }
    assert claims["accuracy-at-900"]["quotes"][0]["corrected_by"] == "splu.T3c"
    assert json.loads((folder / "audit" / "claims.json").read_text(encoding="utf-8")) == result
    text = EXAMPLE.read_text(encoding="utf-8").splitlines()
    for claim in claims.values():
        assert text[claim["line"] - 1] == "[[claim]]"
        assert text[claim["line"]] == f'id = "{claim["id"]}"'


def test_every_certificate_is_valid_and_every_command_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = _json(capsys, "claims.toml", "--report", "audit", code=1)
    files = [
        claim[key]
        for claim in result["claims"]
        for key in ("certificate", "remaining_certificate")
        if claim[key]
    ]
    assert len(files) == 9
    assert sorted(files) == sorted(
        f"certificates/{p.name}" for p in (folder / "audit/certificates").iterdir()
    )
    for name in files:
        assert main(["check", str(folder / "audit" / name)]) == 0
    for claim in result["claims"]:
        assert (claim["certificate"] is None) == (claim["without_certificate"] is not None)
        words = shlex.split(claim["recompute"])
        assert words.pop(0) == "splu-ref"
        capsys.readouterr()
        code = main([*words, "--json"])
        again = json.loads(capsys.readouterr().out)
        if claim["kind"] == "small-sum-privacy":
            assert code == (claim["verdict"] != "confirmed")
        shared = again.keys() & claim["numbers"].keys()
        assert shared
        for key in shared:
            assert again[key] == claim["numbers"][key]


def test_people_read_verdicts_in_words(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["audit", "claims.toml", "--explain"]) == 1
    captured = capsys.readouterr()
    text = " ".join(captured.out.split())
    for words in (
        "confirmed",
        "narrowed",
        "refuted",
        "True for alpha up to 3.",
        "Rely on splu.T3c",
        "line 10",
    ):
        assert words in text
    assert text.startswith(
        "2 confirmed, 4 narrowed, 1 refuted, 0 not decided; certificates are written with --report"
    )
    assert captured.err == ""
    assert not (folder / "audit").exists()


def test_exit_0_only_if_every_claim_is_confirmed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.toml").write_text(HEAD + _claim("a", alpha=3, t_p="0.6"))
    result = _json(capsys, "c.toml", code=0)
    assert result["holds"] is True
    assert result["claims"][0]["certificate"] is None
    assert "--report" in result["claims"][0]["without_certificate"]
    (folder / "c.toml").write_text(HEAD + _claim("a", alpha=1, t_p="0.7"))
    refuted = _json(capsys, "c.toml", code=1)["claims"][0]
    assert (refuted["verdict"], refuted["instead"]) == ("refuted", "T_P up to 0.612579511")


def test_what_is_contradicted_is_first_and_many_confirmed_claims_are_brief(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    confirmed = "".join(_claim(f"c{n}", alpha=3, t_p="0.6") for n in range(7))
    (folder / "c.toml").write_text(HEAD + confirmed + _claim("wrong", alpha=1, t_p="0.7"))
    assert main(["audit", "c.toml"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    verdicts = [words for words in lines if words and words[0] in ("wrong", "c0", "c6")]
    assert verdicts[0][:2] == ["wrong", "refuted:"]
    assert verdicts[1:] == [["c0", "confirmed"], ["c6", "confirmed"]]


_ONE_OF_EACH = {
    "confirmed": (0, None, _claim("a", alpha=3, t_p="0.6")),
    "narrowed": (1, "failure", _claim("a", alpha=10, t_p="0.6")),
    "refuted": (1, "failure", _claim("a", alpha=1, t_p="0.7")),
    "not decided": (
        3, "error", _claim("a", "concept-privacy", alpha=3, t_p="0.5", estimator="exact"),
    ),
}  # fmt: skip
"""Exit code, what the JUnit case holds, and the claim, for each verdict."""


@pytest.mark.parametrize("verdict", _ONE_OF_EACH)
@pytest.mark.parametrize("beside", ["", "confirmed"])
def test_one_claim_of_every_verdict_through_every_output(
    verdict: str, beside: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, retained, claim = _ONE_OF_EACH[verdict]
    more = _claim("b", alpha=3, t_p="0.6") if beside else ""
    (folder / "c.toml").write_text(HEAD + claim + more)
    result = _json(capsys, "c.toml", "--report", "out", code=code)
    assert result["claims"][0]["verdict"] == verdict
    assert result["holds"] is (verdict == "confirmed")
    found = {name: result[name.replace(" ", "_")] for name in _ONE_OF_EACH}
    assert found == {name: (name == verdict) + (name == beside) for name in _ONE_OF_EACH}
    assert json.loads((folder / "out" / "claims.json").read_text()) == result

    (suite,) = ElementTree.fromstring((folder / "out" / "junit.xml").read_bytes())
    case = suite.find("testcase")
    assert case is not None
    parts = [part.tag for part in case if part.tag != "properties"]
    assert parts == ([retained] if retained else [])
    counted = [int(suite.get(name, "")) for name in ("failures", "errors")]
    assert counted == [retained == "failure", retained == "error"]
    messages = [part.get("message", "") for part in case if part.tag != "properties"]
    assert all(message.startswith(f"{verdict}: ") for message in messages)

    page = _Page((folder / "out" / "index.html").read_text(encoding="utf-8"))
    heading = {
        "confirmed": "Every claim is confirmed",
        "not decided": f"1 of {1 + bool(beside)} claims could not be decided",
    }.get(verdict, f"1 of {1 + bool(beside)} claims cannot stand as stated")
    assert heading in " ".join(page.text.split())
    statuses = [attributes["data-status"] for _, attributes in page.tags if "data-status" in attributes]
    assert statuses == [verdict, *([beside] if beside else [])]

    assert main(["audit", "c.toml"]) == code
    printed = capsys.readouterr().out
    assert re.search(rf"^a  +{verdict}: ", printed, re.MULTILINE)
    assert f"1 {verdict}" in printed or beside == verdict


def test_what_is_contradicted_outweighs_what_is_not_decided(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for verdict in ("narrowed", "refuted"):
        both = _ONE_OF_EACH["not decided"][-1] + _ONE_OF_EACH[verdict][-1].replace('"a"', '"b"')
        (folder / "c.toml").write_text(HEAD + both)
        assert _json(capsys, "c.toml", code=1)["not_decided"] == 1


def test_a_certificate_that_cannot_be_made_is_explained(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.toml").write_text(HEAD + _claim("a", alpha=50_000, t_p=0))
    claim = _json(capsys, "c.toml", "--report", "out", code=0)["claims"][0]
    assert claim["certificate"] is None
    assert "too large for a certificate" in claim["without_certificate"]


def test_a_retention_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first_text = _claim("a", alpha=3, t_p="0.49", retention="1/2")
    second_text = _claim("b", alpha=3, t_p="0.49", retention="1/2", releases=2)
    (folder / "c.toml").write_text(HEAD + first_text + second_text)
    first, second = _json(capsys, "c.toml", "--report", "out", code=1)["claims"]
    assert "retention 1/2" in first["stated"]
    assert "--retention 1/2" in first["recompute"]
    assert first["numbers"]["t_p_definition"] != second["numbers"]["t_p_definition"]
    for claim in (first, second):
        assert main(["check", str(folder / "out" / claim["certificate"])]) == 0


def test_junit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _json(capsys, "claims.toml", "--report", "audit", code=1)
    root = ElementTree.fromstring((folder / "audit" / "junit.xml").read_bytes())
    (suite,) = root
    cases = suite.findall("testcase")
    assert (suite.get("tests"), suite.get("failures"), len(cases)) == ("7", "5", 7)
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert "rare-diagnoses" not in failed
    assert "accuracy-at-900" in failed
    assert [case.get("line") for case in cases][:2] == ["10", "17"]


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attributes}))
        if tag not in {"meta", "link", "br", "input"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in {"style", "script"}:
            self.text += data


def test_the_page_stands_alone_and_can_be_read_by_everyone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    title = '<script>alert(1)</script> & "x"'
    text = EXAMPLE.read_text(encoding="utf-8").replace('"Health survey, first release"', f"'{title}'")
    (folder / "claims.toml").write_text(text, encoding="utf-8")
    _json(capsys, "claims.toml", "--report", "audit", code=1)
    source = (folder / "audit" / "index.html").read_text(encoding="utf-8")
    page = _Page(source)
    assert "://" not in source
    assert title in page.text
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert any("default-src 'none'" in attributes.get("content", "") for _, attributes in page.tags)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    for link in links:
        assert link.removeprefix("#") in ids if link.startswith("#") else (folder / "audit" / link).is_file()
    assert sum(not link.startswith("#") for link in links) == 9
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert {"en"} == {attributes["lang"] for tag, attributes in page.tags if tag == "html"}
    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source
    statuses = [attributes["data-status"] for tag, attributes in page.tags if "data-status" in attributes]
    assert statuses.count("narrowed") == 4
    assert "5 of 7 claims cannot stand as stated" in " ".join(page.text.split())


def test_nothing_is_written_over_without_force(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.toml").write_text(HEAD + _claim("a", alpha=3, t_p="0.6"))
    assert main(["audit", "c.toml", "--report", "out"]) == 0
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*") if path.is_file()}
    assert len(before) == 4
    assert "--force" in _refused(capsys, "c.toml", "--report", "out")
    for path in before:
        for other in before:
            other.unlink(missing_ok=True)
        path.write_text("kept")
        assert "--force" in _refused(capsys, "c.toml", "--report", "out")
        assert [p for p in (folder / "out").rglob("*") if p.is_file()] == [path]
    assert main(["audit", "c.toml", "--report", "out", "--force"]) == 0
    (folder / "file").write_text("")
    assert "cannot be made" in _refused(capsys, "c.toml", "--report", "file")


def test_errors_name_file_line_claim_and_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.toml").write_text(HEAD + _claim("a", alpha=3, t_p="0.6") + _claim("b", alpha=10**12, t_p=1))
    message = _refused(capsys, "c.toml", "--report", "out")
    assert message.startswith("splu-ref: c.toml, line 13, claim b: alpha = 1000000000000 would take too long")
    assert not (folder / "out" / "index.html").exists()
    (folder / "c.toml").write_text(HEAD.replace('"0.3"', "0.3") + _claim("a", alpha=3, t_p="0.6"))
    assert "c.toml, line 4: epsilon is the floating-point number 0.3" in _refused(capsys, "c.toml")
    assert "absent.toml" in _refused(capsys, "absent.toml")
    _refused(capsys, ".")


def test_without_the_proofs_nothing_is_recognized_and_that_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent() -> Any:
        raise InputError(
            "no claims ledger is installed: install splu-ref again, with its package splu_proofs"
        )

    monkeypatch.setattr(audit, "load_ledger", absent)
    assert main(["audit", "claims.toml", "--json"]) == 1
    captured = capsys.readouterr()
    assert not any(claim["quotes"] for claim in json.loads(captured.out)["claims"])
    assert captured.err.startswith("note: without the package splu_proofs")
    printed = _claim("a", "concept-privacy", estimator="printed", alpha=1, t_p="0.5")
    (folder / "c.toml").write_text(HEAD + printed)
    main(["audit", "c.toml"])
    assert 'claim a: estimator "printed" is kept with the proofs only' in capsys.readouterr().err


def test_claims_that_need_no_ledger_are_decided_if_it_cannot_be_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Changed:
        @property
        def printed(self) -> Any:
            raise InputError("no affirmed claim: run splu-ref claims ID --reaffirm --reason TEXT")

    monkeypatch.setattr(audit, "load_ledger", Changed)
    claims = _claim("a", "concept-privacy", estimator="printed", alpha=1, t_p="0.5")
    claims += _claim("b", alpha=3, t_p="0.6") + _claim("c", alpha=3, t_p="0.5")
    (folder / "c.toml").write_text(HEAD + claims)
    assert main(["audit", "c.toml", "--report", "out"]) == 2
    captured = capsys.readouterr()
    assert all(f"{name}  confirmed" in captured.out for name in "bc")
    assert captured.err.startswith("splu-ref: c.toml, line 5, claim a: it is compared with a formula")
    assert "reaffirm" not in captured.err
    assert not (folder / "out" / "index.html").exists()


def test_a_claim_that_is_refused_leaves_no_folder_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError("too much work: choose a smaller alpha")

    monkeypatch.setattr(audit, "decide", refuse)
    assert main(["audit", "claims.toml", "--report", "new/audit"]) == 2
    assert "too much work" in capsys.readouterr().err
    assert not Path("new").exists()
