"""Second stage: certificates are produced, checked by the standard-library checker, and falsified."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter

from splu_ref.certificate_checker import Unreadable, check_text
from splu_ref.guarantees import (
    Certificate,
    KernelWord,
    error_certificate,
    kernel_check,
    kernel_program,
    privacy_certificate,
    threshold_certificate,
)
from splu_ref.report.model import Row
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import Outcome, check_row

PRODUCED: tuple[tuple[str, str, Callable[[], Certificate]], ...] = (
    ("privacy", "T_P at γ = 10, ε = 3/10, α = 3", lambda: privacy_certificate(10, "3/10", 3)),
    ("error", "error probability at γ = 10, ε = 3/10, f = 5", lambda: error_certificate(10, "3/10", 5)),
    ("threshold", "T_f at γ = 10, ε = 1/10, T_E = 1/10", lambda: threshold_certificate(10, "1/10", "1/10")),
    (
        "threshold-2401",
        "T_f at γ = 10, ε = 1/20, T_E = 1/100",
        lambda: threshold_certificate(10, "1/20", "1/100"),
    ),
)
FALSIFIED = ("claim", "parameters", "statement", "evidence")


def certificates_stage(progress: Progress) -> Outcome:
    """Return a row per certificate, one for the proved checker, and one for falsified certificates."""
    progress.stage("Certificates", len(PRODUCED))
    rows: list[Row] = []
    for done, (name, title, produce) in enumerate(PRODUCED):
        progress.at(title, done)
        begin = perf_counter()
        certificate = produce()
        verdict = check_text(json.dumps(certificate))
        rows.append(
            check_row(
                "certificates",
                name,
                f"Certificate of the {title}",
                verdict.valid,
                grade="exact",
                evidence="produced, then checked again from its text by the standard-library checker",
                detail=verdict.reason,
                seconds=perf_counter() - begin,
            )
        )
    rows += [_kernel_row(), _falsified_row()]
    return Outcome(rows=tuple(rows))


def _falsified_row() -> Row:
    begin = perf_counter()
    accepted, tried = [], 0
    for _, title, produce in PRODUCED[:3]:  # the last one differs from the third in size only
        original = produce()
        for section in FALSIFIED:
            for path, changed in falsifications(original, section):
                tried += 1
                if _accepts(changed):
                    accepted.append(f"{title}: {path}")
    return check_row(
        "certificates",
        "falsified",
        "Falsified certificates are rejected",
        not accepted and tried > 0,
        grade="exact",
        evidence=f"{tried} certificates, each with one character of {', '.join(FALSIFIED)} changed",
        detail=f"accepted with a changed {'; '.join(accepted)}" if accepted else "all were rejected",
        seconds=perf_counter() - begin,
    )


def _kernel_row() -> Row:
    """Return the row of the checker that is proved in Coq: it accepts every certificate that is made here."""
    begin = perf_counter()
    row = check_row(
        "certificates", "kernel", "Certificates pass the checker that is proved in Coq", True, grade="kernel"
    )
    if kernel_program() is None:
        not_run = "not run: the proved checker is not built (make coq)"
        return replace(row, status="not run", grade="", evidence=not_run, unchecked=not_run)
    made = [(title, produce()) for _, title, produce in PRODUCED]
    refused = [title for title, each in made if _kernel_word(each) is not KernelWord.VALID]
    changed = [
        each for _, original in made[:3] for part in FALSIFIED for _, each in falsifications(original, part)
    ]
    accepted = sum(_kernel_word(each) is KernelWord.VALID for each in changed)
    return replace(
        row,
        passed=not refused,
        status="fails" if refused else "holds",
        evidence=f"{len(made)} certificates and {len(changed)} falsified, checked by the program of make coq",
        detail=f"refused: {'; '.join(refused)}"
        if refused
        else f"{len(made)} were accepted; of the falsified ones {accepted}, whose statements are true",
        seconds=perf_counter() - begin,
    )


def _kernel_word(certificate: Certificate) -> KernelWord:
    return kernel_check(json.dumps(certificate)).word


def _accepts(certificate: Certificate) -> bool:
    try:
        return check_text(json.dumps(certificate)).valid
    except Unreadable:
        return False


def falsifications(certificate: Certificate, section: str) -> Iterator[tuple[str, Certificate]]:
    """Yield (place, copy of the certificate in which one character there is another one).

    Every text of the section has its last letter or digit replaced, up to 12 texts spread evenly over it.
    """
    paths = list(_texts(certificate[section], (section,)))
    for path in paths[:: max(1, len(paths) // 12)]:
        changed = json.loads(json.dumps(certificate))
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        text = holder[path[-1]]
        place = max(i for i, character in enumerate(text) if character.isalnum())
        other = "1" if text[place] != "1" else "2"
        holder[path[-1]] = text[:place] + other + text[place + 1 :]
        yield ".".join(map(str, path)), changed


def _texts(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every text that has a letter or digit."""
    if isinstance(value, str):
        if any(map(str.isalnum, value)):
            yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(item, (*path, place))
