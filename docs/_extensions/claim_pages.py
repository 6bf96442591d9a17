"""Write one page per claim of the ledger: statement, verdict, witness, proof and what rests on it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from claim_graph import claim_graph

from splu_proofs import LEDGER
from splu_proofs.claim import Claim, Status
from splu_proofs.derivation import Derivation
from splu_proofs.evidence import Grade
from splu_proofs.kernel import Kernel
from splu_proofs.vernacular import COQ, LIBRARY, statement
from splu_ref.report.mathml import mathml
from splu_ref.report.progress import NoProgress
from splu_ref.report.stages.figures import figures_stage

JUDGES = {
    "on_grid": "in fractions on a grid that determines it",
    "by_differences": "by forward differences over all integers",
    "by_solver": "by an SMT solver over all integers",
}
"""How a step is checked again without SymPy, by the name of the judge."""

GRAPH = (
    "An arrow leads from a claim to one that rests on it. Dashed boxes are refuted: with a refuted claim "
    "falls what a thick arrow leads to, and what a dashed arrow leads to holds instead. Arrows that a longer "
    "way replaces, or that lead to the claims of another paper, are left out. A box is a link."
)
"""What the drawings of the claims show."""

EVIDENCE = (
    "[Evidence](../../evidence.md) explains statuses, scopes and grades. A claim has the grade that all of "
    "its evidence together reaches: where a theorem in Coq covers only a part, the grade is lower. "
    "The scope is `general` if the evidence is for the whole statement, `instances` if it is for a range, "
    "which is then given. Comparisons are counted, and a check fails if their number changes. The list of "
    "printed statements says which of them have no claim, and why."
)
"""How the table of evidence is to be read."""

STATEMENTS = Path(__file__).with_name("printed_statements.toml")
"""What the papers state, with the claims that decide it."""

KINDS_OF_COMPARISONS = {
    Grade.EXACT: "in integers and fractions",
    Grade.ENUMERATED: "with every outcome of small worlds, run through the library",
    Grade.STATISTICAL: "with a measurement",
}
"""What the comparisons of a check are made with, by its grade."""


def claim_pages() -> dict[str, Iterator[str]]:
    """Return the lines of every page by its name below the reference folder."""
    pages = {"claims/index.md": _index(), "claims/figures.md": _figures(), "claims/coq.md": _coq()}
    pages |= {"claims/evidence.md": evidence_page()}
    for paper, claims in LEDGER.by_paper().items():
        sections = _by_section(claims)
        pages[f"claims/{_short(claims)}.md"] = _paper(paper, claims, sections)
        for section, some in sections.items():
            pages[f"claims/{_file(some, section)}.md"] = _section(section, some)
    return pages | {f"claims/{claim.id}.md": _page(claim) for claim in LEDGER}


def _index() -> Iterator[str]:
    yield "# The claims\n\nWhat the source papers claim, and what is true of it."
    yield "[Evidence](../../evidence.md) explains statuses and grades; [the figures](figures.md) are drawn"
    yield "again, printed against true; [some proofs](coq.md) are checked by Coq. One table says"
    yield "[what each claim rests on](evidence.md)."
    yield "`splu-ref verify` repeats every proof and every witness. Other statements can be checked by"
    yield "the same methods: see [Check a claim of a paper](../../paper-claims.md).\n"
    yield f"| paper | claims | {' | '.join(Status)} |\n|{'---|' * (2 + len(Status))}"
    for paper, claims in LEDGER.by_paper().items():
        numbers = [sum(claim.status is status for claim in claims) for status in Status]
        yield f"| [{_cell(paper)}]({_short(claims)}.md) | {len(claims)} | {' | '.join(map(str, numbers))} |"
    yield "\n```{toctree}\n:hidden:\n"
    yield from (_short(claims) for claims in LEDGER.by_paper().values())
    yield "evidence\nfigures\ncoq\n```"


def evidence_page() -> Iterator[str]:
    """Yield the page that says of every claim what it rests on, and of every section what became of it."""
    yield f"# What each claim rests on\n\n{EVIDENCE}\n"
    yield "## Claims by section and status\n"
    yield f"| paper | section | claims | {' | '.join(Status)} |\n|{'---|' * (3 + len(Status))}"
    for claims in LEDGER.by_paper().values():
        for section, some in _by_section(claims).items():
            yield f"| {_short(some)} | [{section}]({_file(some, section)}.md) | {_counts(some)} |"
        yield f"| **{_short(claims)}** | **all** | {_counts(claims)} |"
    yield f"| **all papers** | | {_counts(list(LEDGER))} |\n"
    yield from printed_statements()
    for paper, claims in LEDGER.by_paper().items():
        yield f"## {paper}\n"
        yield f"| claim | about | section | status | scope | grade | rests on |\n|{'---|' * 7}"
        for section, some in _by_section(claims).items():
            for claim in some:
                yield (
                    f"| [`{claim.id}`]({claim.id}.md) | {_cell(claim.title)} | {section} | {claim.status} | "
                    f"{claim.scope or '–'} | {claim.grade or '–'} | {_cell('; '.join(_rests_on(claim)))} |"
                )
        yield ""


def printed_statements() -> Iterator[str]:
    """Yield, for every statement, figure and headline sentence of the papers, its claims or a reason."""
    listed = tomllib.loads(STATEMENTS.read_text(encoding="utf-8"))
    yield "## Every printed statement\n\nIn the order of the papers. A dash says why there is no claim.\n"
    yield "| paper | place | statement | claims |\n|---|---|---|---|"
    for paper, rows in listed.items():
        for place, says, claims in rows:
            ids = (f"{paper}.{name}" for name in claims.split())
            found = claims if claims.startswith("–") else _links(*ids)
            yield f"| {paper} | {_cell(place)} | {_cell(says)} | {_cell(found)} |"
    yield ""


def _counts(claims: list[Claim]) -> str:
    each = (sum(claim.status is status for claim in claims) for status in Status)
    return f"{len(claims)} | {' | '.join(str(number or '·') for number in each)}"


def _rests_on(claim: Claim) -> Iterator[str]:
    """Yield the pieces of evidence of a claim, the strongest grade first."""
    if claim.kernel is not None:
        part = "Coq" if claim.grade is Grade.KERNEL else "in part Coq"
        yield f"{part}: {', '.join(f'`{theorem}`' for theorem in claim.kernel.theorems)}"
    steps = sum(len(derivation().steps) for derivation in claim.derivations)
    if steps:
        yield f"{steps} symbolic step{'s'[: steps > 1]}"
    if claim.witness is not None:
        yield "a counterexample, " + ", ".join(
            f"{name} = {value}" for name, value in claim.witness.texts.items()
        )
    for grade, kind in KINDS_OF_COMPARISONS.items():
        cases = sum(check.cases for check in claim.checks if check.grade is grade)
        if cases:
            yield f"{cases:,} {'comparison' if cases == 1 else 'comparisons'} {kind}"
    if claim.instances:
        yield f"range: {claim.instances}"
    elif claim.complete:
        yield f"complete, because {claim.complete}"
    if claim.status is Status.LITERATURE:
        yield "the literature, cited on its page"
    if claim.status is Status.DEFINITION:
        yield "a definition: nothing to prove"


def _paper(paper: str, claims: list[Claim], sections: dict[str, list[Claim]]) -> Iterator[str]:
    yield f'# {paper}\n\n{GRAPH}\n\n<figure class="claims">{claim_graph(claims)}</figure>\n'
    for section, some in sections.items():
        yield f"## [{section}]({_file(some, section)}.md)\n"
        yield from _table(some)
    yield "```{toctree}\n:hidden:\n"
    yield from (_file(some, section) for section, some in sections.items())
    yield "```"


def _section(section: str, claims: list[Claim]) -> Iterator[str]:
    yield f"# {section}\n"
    yield from _table(claims)
    yield "```{toctree}\n:hidden:\n"
    yield from (claim.id for claim in claims)
    yield "```"


def _table(claims: list[Claim]) -> Iterator[str]:
    yield "| claim | about | verdict | instead | falls with it |\n|---|---|---|---|---|"
    for claim in claims:
        yield (
            f"| [`{claim.id}`]({claim.id}.md) | {_cell(claim.title)} | {_badges(claim)} | "
            f"{_links(claim.corrected_by)} | {_links(*claim.topples)} |"
        )
    yield ""


def _by_section(claims: list[Claim]) -> dict[str, list[Claim]]:
    """Return the claims by the section or chapter that their source names first, both in reading order."""
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        place = re.search(r"§+(\d+)(?:\.(\d+))?|chapters? (\d+)", claim.source)
        number = ".".join(filter(None, place.groups())) if place else ""
        title = "Beyond the paper" if claim.source.startswith("new") and not place else "Its summary"
        if place:
            title = f"{'Chapter' if place[3] else 'Section'} {number}"
        found.setdefault(title, []).append(claim)
    numbers = {title: [int(each) for each in re.findall(r"\d+", title)] or [99] for title in found}
    return {title: found[title] for title in sorted(found, key=numbers.__getitem__)}


def _short(claims: list[Claim]) -> str:
    return claims[0].id.partition(".")[0]


def _file(claims: list[Claim], section: str) -> str:
    return f"{_short(claims)}-{section.lower().replace(' ', '-').replace('.', '-')}"


def _page(claim: Claim) -> Iterator[str]:
    yield f"# `{claim.id}`: {claim.title}\n\n{_badges(claim)}\n\n{claim.words}\n\n*{claim.source}*\n"
    yield f"## Statement\n\n{_formula(claim.statement)}\n"
    if claim.hypotheses:
        yield f"if {', '.join(_html(mathml(each)) for each in claim.hypotheses)}.\n"
    if claim.instances:
        yield f"Verified on instances: {claim.instances}.\n"
    elif claim.complete:
        yield f"Computing proves it, because {claim.complete}.\n"
    if claim.witness is not None:
        yield from _witness(claim)
    if claim.kernel is not None:
        yield from _kernel(claim.kernel)
    for derivation in claim.derivations:
        yield from _derivation("Proof", derivation)
    for flaw in claim.flaws:
        yield from _derivation("Where the printed proof fails", flaw)
    if claim.checks:
        yield "## Computed\n"
        yield from (
            f"- {_sentence(check.function)} *({check.grade}, {check.cases} comparisons)*"
            for check in claim.checks
        )
    yield from _surroundings(claim)
    source = f"proofs/{claim.module.replace('.', '/')}.py"
    yield f"\n<details><summary>The proof as it runs: <code>{source}</code></summary>\n"
    yield f"```{{literalinclude}} ../../../{source}\n:language: python\n```\n\n</details>"


def _witness(claim: Claim) -> Iterator[str]:
    witness = claim.witness
    assert witness is not None
    case = ", ".join(f"{name} = {value}" for name, value in witness.texts.items())
    checked = witness.none_smaller or f"{witness.count} smaller cases are checked"
    yield f"## Counterexample\n\n**{case}**: the printed statement allows {witness.printed}, the truth is"
    yield f"{witness.true}.\n\n{witness.by_hand}\n\nIt is the smallest in the order of {witness.order}:"
    yield f"{checked}.\n\nRely on {_links(claim.corrected_by)} instead.\n"


def _kernel(kernel: Kernel) -> Iterator[str]:
    yield f"## Checked by Coq\n\n{kernel.covers}\n"
    if kernel.leaves:
        yield f"What the kernel did not check: {kernel.leaves[0].lower()}{kernel.leaves[1:]}\n"
    yield "The theorems, as Coq accepted them when the claim was last affirmed. `g` is γ, and `prob`, `mass`"
    yield "and `off` are defined in [`Binomial.v`](coq.md#binomial-v), plans, orders and draws in"
    yield "[`Mechanism.v`](coq.md#mechanism-v). `make coq` has Coq check them again.\n"
    for theorem in kernel.theorems:
        module = theorem.partition(".")[0]
        yield f"[`{LIBRARY}.{theorem}`](coq.md#{module.lower()}-v)\n\n```coq\n{statement(theorem)}\n```\n"


def _derivation(title: str, function: Callable[[], Derivation]) -> Iterator[str]:
    derivation = function()
    yield f"## {title}: {function.__name__.replace('_', ' ')}\n\n{_sentence(function)}\n"
    yield f"{derivation.setting}\n"
    for number, step in enumerate(derivation.steps, 1):
        yield f"{number}. **{step.name}.** {step.says}\n\n   {_formula(step.latex())}\n"
        judges = [JUDGES.get(judge.__name__, judge.__name__.replace("_", " ")) for judge in step.recheck]
        yield f"   *Checked again {', and '.join(judges)}.*\n"
    yield f"{derivation.conclusion}\n"


def _surroundings(claim: Claim) -> Iterator[str]:
    yield "\n## What it rests on, and what rests on it\n"
    for name, ids in (
        ("Rests on", claim.rests_on),
        ("Needed by", LEDGER.dependants(claim.id)),
        ("Falls with it", claim.topples if claim.status is Status.REFUTED else ()),
    ):
        yield f"- {name}: {_links(*ids) or 'nothing here'}"
    for name, places in (("The library relies on it in", claim.licenses), ("Tests", claim.tests)):
        if places:
            yield f"- {name}: {', '.join(f'`{place}`' for place in places)}"


def _coq() -> Iterator[str]:
    yield "```{include} ../../../proofs/splu_proofs/coq/README.md\n```\n\n## The files as they are\n"
    claims = [claim for claim in LEDGER if claim.kernel is not None]
    for file in sorted(COQ.glob("*.v")):
        of = [claim.id for claim in claims if claim.kernel and file.stem in claim.kernel.modules]
        yield f"### `{file.name}`\n\n{f'Bound to {_links(*of)}.' if of else ''}\n"
        yield f"```{{literalinclude}} ../../../proofs/splu_proofs/coq/{file.name}\n:language: coq\n```\n"


def _figures() -> Iterator[str]:
    yield "# Figures 4 and 5, printed against true\n"
    for figure in figures_stage(LEDGER, NoProgress()).figures:
        claim = LEDGER.get(f"splu.F{figure.id[-1]}")
        yield f"## {figure.title}\n\n{_badges(claim)} See {_links(claim.id, claim.corrected_by)}.\n"
        yield f"<figure>{''.join(figure.svg.splitlines())}</figure>\n\n{figure.caption}\n"


def _badges(claim: Claim) -> str:
    kind = "grade kernel" if claim.grade is Grade.KERNEL else "grade"
    grade = "" if claim.grade is None else f' <span class="badge {kind}">{claim.grade}</span>'
    return f'<span class="badge {claim.status}">{claim.status}</span>{grade}'


def _formula(latex: str) -> str:
    return _html(f'<span class="formula">{mathml(latex)}</span>')


def _html(text: str) -> str:
    """Return HTML as one node of a page; without the role, each of its tags would be two."""
    return f"{{html}}`{text}`"


def _links(*ids: str | None) -> str:
    return ", ".join(f"[`{each}`]({each}.md)" for each in ids if each)


def _sentence(function: Callable[..., Any]) -> str:
    return " ".join((function.__doc__ or "").split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
