from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from splu_ref.report.drawing import MISSING_MATPLOTLIB
from splu_ref.report.exhibits import Figure
from splu_ref.report.html import html
from splu_ref.report.model import VerificationReport

VOID = {"meta", "link", "br", "input", "mspace", "path", "use"}


class Page(HTMLParser):
    """Tags with their attributes, ids, headings and text; complains about tags that do not match."""

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
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attributes}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in {"style", "script"}:
            self.text += data

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def page(report: VerificationReport) -> Page:
    return Page(html(report).decode())


def test_it_asks_for_nothing_from_the_network(report: VerificationReport, page: Page) -> None:
    text = html(report).decode()
    assert "://" not in text
    assert not re.search(r"url\((?!#)|@import", text)
    for _, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "srcset", "action", "data"):
            assert attributes.get(name, "#").startswith(("#", "data:,"))


def test_the_policy_admits_the_page_s_own_style_and_script_alone(report: VerificationReport) -> None:
    text = html(report).decode()
    page = Page(text)
    policy = next(meta["content"] for meta in page.named("meta") if "http-equiv" in meta)
    directives = dict(each.split(" ", 1) for each in policy.split("; "))
    for name in ("default-src", "base-uri", "form-action"):
        assert directives[name] == "'none'"
    for name, tag in (("style-src", "style"), ("script-src", "script")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert directives[name] == f"'sha256-{digest}'"
    assert directives.keys() == {
        "default-src", "style-src", "script-src", "img-src", "base-uri", "form-action",
    }  # no workers  # fmt: skip
    assert "unsafe" not in policy
    assert not any("style" in attributes for _, attributes in page.tags)


def test_hostile_texts_stay_texts(report: VerificationReport, page: Page) -> None:
    assert len(page.named("script")) == 1
    assert page.named("b") == []
    assert page.text.count("<script>alert('x')</script>") >= 8
    assert "<b>Sales</b>" in page.text
    assert "<script>alert" not in html(report).decode()


def test_headings_descend_one_level_at_a_time(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_links_arrive(page: Page) -> None:
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in page.named("a"):
        assert link["href"].removeprefix("#") in ids
    for _, attributes in page.tags:
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in ids


def test_it_is_fit_for_a_phone_a_keyboard_and_a_reader(page: Page) -> None:
    assert page.named("html")[0]["lang"] == "en"
    assert any("width=device-width" in meta.get("content", "") for meta in page.named("meta"))
    assert next(a for a in page.named("a"))["class"] == "skip"
    regions = [div for div in page.named("div") if div.get("class") == "scroll"]
    assert len(regions) == len(page.named("table")) >= 5
    assert all(region["tabindex"] == "0" and region["aria-label"] for region in regions)


def test_the_verdict_comes_first(report: VerificationReport, page: Page) -> None:
    assert "1 of 3 checks failed" in page.text
    sound = Page(html(replace(report, rows=report.claims)).decode())
    assert "Everything that was checked came out as stated" in sound.text
    assert not any(attributes.get("id") == "failures" for _, attributes in sound.tags)
    assert "Nothing was checked" in Page(html(replace(report, rows=())).decode()).text


def test_states_are_reported_in_words(page: Page) -> None:
    for word in ("✓ killed", "✗ survived", "no check", "✗ fail", "refuted", "1 of 2 were detected"):
        assert word in page.text


def test_without_the_drawing_the_numbers_are_open(page: Page) -> None:
    assert MISSING_MATPLOTLIB in page.text
    assert "0.025" in page.text


def test_a_drawing_is_put_in_as_it_is(report: VerificationReport) -> None:
    drawn: Figure = replace(report.figures[0], svg='<svg role="img"><path d="M 0 0"/></svg>')
    page = Page(html(replace(report, figures=(drawn,))).decode())
    assert len(page.named("svg")) == 1 + len(report.publications)
    assert MISSING_MATPLOTLIB not in page.text


def test_a_quick_run_says_what_it_left_out(report: VerificationReport) -> None:
    note = "Not run: Coq, frequencies in other orders, the property"
    assert note not in Page(html(report).decode()).text
    assert note in Page(html(replace(report, level="quick")).decode()).text
