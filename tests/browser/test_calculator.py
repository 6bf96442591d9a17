"""The page without installing, in a real browser: against vectors, the program, and hostile files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.audit.claims.reading import decide, read_claims
from splu_ref.cli import main
from splu_ref.conformance import vector_files
from splu_ref.guarantees import exact_json, minimax_error_bounds
from splu_ref.report.html import calculator_page

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "claims.toml"
ASK = """
const [requested, answer] = arguments;
const settled = (place) => new Promise((done) => {
  const look = () => {
    if (place.hasAttribute("aria-busy")) return;
    watch.disconnect();
    done();
  };
  const watch = new MutationObserver(look);
  watch.observe(place, { attributes: true, childList: true });
  setTimeout(look, 100);
});
(async () => {
  const found = [];
  for (const { task, given } of requested) {
    const place = document.getElementById(`${task}-found`);
    if (task === "numbers") {
      const form = document.getElementById("numbers");
      for (const [name, value] of Object.entries(given)) form.elements[name].value = value;
      form.requestSubmit();
    } else {
      const files = new DataTransfer();
      files.items.add(new File([given.bytes ? new Uint8Array(given.bytes) : given.text], "a<b>.txt"));
      place.setAttribute("aria-busy", "true");
      const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
      document.getElementById(`${task}-zone`).dispatchEvent(drop);
    }
    await settled(place);
    for (const each of place.querySelectorAll("details")) each.open = true;
    const texts = (query) => [...place.querySelectorAll(query)].map((each) => each.innerText);
    found.push({ text: place.innerText, badges: texts(".badge"), fractions: texts(".digits") });
  }
  answer(found);
})();
"""


@pytest.fixture(scope="module")
def content() -> bytes:
    return calculator_page()


@pytest.fixture
def shown(content: bytes, opened: Callable[[bytes], Any]) -> Any:
    return opened(content)


def _answers(shown: Any, *requested: tuple[str, dict[str, object]]) -> list[dict[str, Any]]:
    shown.chrome.set_script_timeout(120)
    reported = [{"task": task, "given": given} for task, given in requested]
    found: list[dict[str, Any]] = shown.chrome.execute_async_script(ASK, reported)
    return found


def _vectors(*operations: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield requests with an answer, each with it."""
    for file in vector_files():
        if file.operation in operations and "all-claims" not in file.requires:
            for vector in file.vectors:
                if vector.input is not None and vector.answer is not None:
                    yield file.request(vector), dict(vector.answer)


def test_it_asks_for_nothing_and_complains_of_nothing(shown: Any) -> None:
    _answers(shown, ("numbers", {"gamma": "3"}))
    assert [each for each in shown.requests if not each.startswith(("data:", "file:", "blob:"))] == []
    assert shown.log("browser") == []


def _numbers(request: dict[str, Any], **more: str) -> tuple[str, dict[str, object]]:
    """Return what is requested of the calculator for a request of the vectors."""
    names = ("gamma", "epsilon", "alpha", "t_e", "retention")
    return "numbers", {name: str(request.get(name, more.get(name, ""))) for name in names}


def test_numbers_are_those_of_the_vectors(shown: Any) -> None:
    levels = list(_vectors("privacy_minimum"))[::6]
    found = _answers(shown, *(_numbers(request) for request, _ in levels))
    for (request, answer), each in zip(levels, found, strict=True):
        assert each["fractions"][1] == answer["t_p"], request
    assert len(levels) > 20
    thresholds = list(_vectors("utility_threshold"))[::8]
    found = _answers(shown, *(_numbers(request, alpha="1") for request, _ in thresholds))
    for (request, answer), each in zip(thresholds, found, strict=True):
        assert f"T_f\n{answer['threshold']} is the least count" in each["text"], request
    assert len(thresholds) > 10


def test_what_no_estimate_escapes_is_what_the_program_says(shown: Any) -> None:
    """Counts that are all in the game, too many for it, near one estimate; with p above 1/gamma and at it."""
    names = ("gamma", "epsilon", "alpha", "retention")
    requested = [
        ("3", "1/2", "3", ""), ("10", "3/10", "10", ""), ("2", "1/10", "12", ""), ("7", "3/10", "40", ""),
        ("5", "1/3", "9", "1/2"), ("5", "3/10", "10", "7/20"), ("300", "3/10", "3", ""), ("4", "1", "5", ""),
    ]  # fmt: skip
    given: list[dict[str, object]] = [
        {"t_e": "", **dict(zip(names, each, strict=True))} for each in requested
    ]
    found = _answers(shown, *(("numbers", each) for each in given))
    for each, reported in zip(requested, found, strict=True):
        gamma, epsilon, alpha, retention = each
        star = minimax_error_bounds(gamma, epsilon, alpha, retention=retention or None)
        assert Fraction(reported["fractions"][2]) == star.at_least, each
        assert f"T_P*\n{exact_json(star.at_least, 'down')['decimal']} is a chance" in reported["text"]
        bounds = (
            f"It is at most {exact_json(star.at_most, 'up')['decimal']}, and was computed for counts up to"
        )
        assert (f"{bounds} {star.computed}." in reported["text"]) is not star.is_exact


def test_certificates_are_judged_as_the_vectors_say(shown: Any) -> None:
    requested = list(_vectors("certificate"))[::8]
    found = _answers(shown, *(("certificate", {"text": request["text"]}) for request, _ in requested))
    for (request, answer), each in zip(requested, found, strict=True):
        assert [badge.endswith(answer["verdict"]) for badge in each["badges"]] == [True], (request, each)
    assert {answer["verdict"] for _, answer in requested} == {"valid", "false", "unreadable"}


def test_claims_are_decided_as_by_the_program(shown: Any, tmp_path: Path) -> None:
    more = (
        '[[claim]]\nid = "plain"\nkind = "threshold-formula"\nformula = "chebyshev"\nt_e = "1/20"\n'
        '[[claim]]\nid = "kept"\nkind = "small-sum-privacy"\nretention = "1/2"\nalpha = 9\nt_p = "0.1"\n'
        '[[claim]]\nid = "none"\nkind = "large-sum-utility"\nt_e = 0\nt_f = 5\n'
        '[[claim]]\nid = "least"\nkind = "error-at-count"\nfrequency = 10\nt_p = "0.404"\n'
        '[[claim]]\nid = "ever"\nkind = "small-sum-privacy"\nalpha = 1_0\nt_p = 1\n'
    )
    path = tmp_path / "claims.toml"
    path.write_text(EXAMPLE.read_text(encoding="utf-8") + more, encoding="utf-8")
    (found,) = _answers(shown, ("claims", {"text": path.read_text(encoding="utf-8")}))
    decided = [decide(claim, None) for claim in read_claims(path).claims if claim.kind != "concept-privacy"]
    verdicts = [badge[2:] for badge in found["badges"]]
    assert verdicts.pop(6) == "not decided here"
    assert verdicts == [str(each.verdict) for each in decided]
    for each in decided:
        assert each.found.split(";")[0] in found["text"]
        assert each.true_for in found["text"]


BEGINNING = 'schema = "splu-ref/claims/1"\n[[claim]]\nid = "<img src=x onerror=alert(1)>"\n'
FLOATING = 'kind = "error-at-count"\ngamma = 0.3\nepsilon = 1\nfrequency = 1\nt_e = 1\n'
ENDLESS: dict[str, object] = {"gamma": "9999999", "epsilon": "1/999", "alpha": "99999999", "t_e": ""}
HOSTILE: dict[str, tuple[str, dict[str, object], str]] = {
    "markup in a claim": ("claims", {"text": f'{BEGINNING}kind = "<b>"\n'}, "unusable"),
    "markup in a certificate": ("certificate", {"text": '{"schema": "<i>a</i>"}'}, "unreadable"),
    "no toml": ("claims", {"text": "<html>"}, "line 1:"),
    "a float": ("claims", {"text": BEGINNING + FLOATING}, "line 5: gamma is the floating-point number 0.3"),
    "no text": ("certificate", {"bytes": [255, 254, 0]}, "UTF-8"),
    "too long": ("claims", {"text": "#" * 200_000}, "has at most 131072 bytes"),
    "brackets": ("certificate", {"text": "[" * 100_000}, "unreadable"),
    "brackets of a claim": ("claims", {"text": "a = " + "[" * 900}, "nested too deeply"),
    "too much": ("numbers", ENDLESS, "too much work"),
    "no number": ("numbers", {"gamma": "<i>"}, "gamma is “<i>”, not a number"),
    "a percentage": (
        "numbers",
        {"gamma": "25%"},
        "gamma is “25%”, not a number: write 30% as 0.3 or 3/10",
    ),
    "no group": ("numbers", {"gamma": "1"}, "gamma must be a whole number of at least 2"),
}


def test_hostile_files_are_refused_in_words(shown: Any) -> None:
    found = _answers(shown, *((task, given) for task, given, _ in HOSTILE.values()))
    for (name, (_, _, words)), each in zip(HOSTILE.items(), found, strict=True):
        assert words in each["text"], (name, each["text"][:300])
    assert shown.script("return document.querySelectorAll('main img, main b, main i').length") == 0
    assert shown.log("browser") == []


def test_the_page_answers_while_it_computes_and_can_be_stopped(shown: Any) -> None:
    shown.script(
        "const form = document.getElementById('numbers');"
        "for (const [name, value] of Object.entries({gamma: '100', epsilon: '1/50', alpha: '900', t_e: ''}))"
        "  form.elements[name].value = value; form.requestSubmit()"
    )
    waited = (
        "const done = arguments[0]; const look = () => { const stop = document.querySelector('.busy button');"
        " if (!stop) return setTimeout(look, 20); stop.click();"
        " done(document.getElementById('numbers-found').innerText); }; look();"
    )
    shown.chrome.set_script_timeout(60)
    assert shown.chrome.execute_async_script(waited) == "Stopped."


@pytest.mark.parametrize("pixels", [320, 1280])
def test_the_page_never_scrolls_sideways(shown: Any, pixels: int) -> None:
    shown.width(pixels)
    _answers(shown, ("claims", {"text": EXAMPLE.read_text(encoding="utf-8")}), ("numbers", {"alpha": "40"}))
    widest = shown.script("return document.documentElement.scrollWidth")
    assert widest <= shown.script("return document.documentElement.clientWidth") <= pixels


def test_every_field_has_a_name_and_results_are_reported(shown: Any) -> None:
    nameless = "return [...document.querySelectorAll('input')].filter((each) => !each.labels.length).length"
    assert shown.script(nameless) == 0
    reported = "return [...document.querySelectorAll('.found')].every((each) => each.ariaLive === 'polite')"
    assert shown.script(reported)


def test_the_program_writes_it(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.html"
    assert main(["page", "-o", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"page": str(path), "bytes": len(content)}
    assert path.read_bytes() == content
    assert main(["page", "-o", str(path)]) == 2
