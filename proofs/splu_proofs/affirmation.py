"""What was affirmed of each claim: everything that it says, and fingerprints of the code behind it.

``<paper>/affirmed.toml`` has a block for each claim: verdict, statement, hypotheses, words, source, steps,
witness, checks with their numbers of comparisons and perturbations, licenses and dependencies, as text; a
fingerprint of the code of each piece of evidence; then what is measured when affirming: how many comparisons
of each check are sensitive to its perturbations, and which values it compares; the fingerprints of other
code; and when and why it was last affirmed. The file is written by affirming and read as a diff. Evidence
never passes because of it: the runners judge evidence (`splu_proofs.check`), this file says that what is
judged is what was read.

A claim is affirmed with a reason. If anything but the library has changed, namely what the claim says, the
code of its evidence, its Coq files or the machinery, these parts have to be named as well. So affirming after
a change of the library cannot slip in a change of the claim, or evidence that checks less.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeAlias

from splu_ref.channels.parameters import InputError
from splu_ref.data.files import write_whole

from .binding import MACHINERY, as_written, evidence_code, evidence_modules, fingerprints, together
from .claim import Claim
from .kernel import ACCEPTED_BY

ACCEPTED_ON = "coq ran on"
"""Where the affirmed fingerprints of a claim say on which day that was."""
EVIDENCE = "evidence"
"""Where a block has a fingerprint of the code of each piece of evidence."""
COQ_FILES = "coq_files"
"""What has to be named when a claim with other Coq files than before is affirmed."""
MODULES = "modules"
"""Where a block names the claim's module and all modules of proofs that it imports."""
NEW = "new"
"""What has to be named when a claim that has no block is affirmed."""
TEXTS = "texts"
"""Where a block has the fingerprint of the texts of these modules when the claim was affirmed."""
SENSITIVITY, VALUES = "sensitivity", "values"
"""Where a block says how many comparisons of each check become false under its perturbations, and which
values are compared."""
FOLDER = Path(__file__).parent
NAME = "affirmed.toml"
HEAD = (
    "# What each claim of this paper says, and fingerprints of the code behind it, as last affirmed.\n"
    "# Written by `splu-ref claims ID --reaffirm --reason TEXT`; read its diff.\n"
)
_WIDTH = 100

Said: TypeAlias = str | int | list[str]
Block: TypeAlias = dict[str, Any]
Measured: TypeAlias = Mapping[str, list[str]]
"""What affirming measures, by the name of its part of a block: a line for each check."""


def affirmed(folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """Return, for every claim id, the fingerprints that were affirmed, and who accepted its Coq files."""
    return {claim_id: dict(block["code"]) for claim_id, block in _all_blocks(folder).items()}


def changed_since(modules: Collection[str], folder: Path = FOLDER) -> dict[str, list[str]]:
    """Return what differs from the record in modules of claims, from their texts alone: nothing is imported.

    Under ``evidence`` stand the claims whose modules, or modules that these import, have other texts than
    were affirmed, comments and descriptions of claims aside; under ``new`` the modules without an affirmed
    claim. What does not differ is left out.
    """
    known = _all_blocks(folder)
    home = {claim_id: tuple(block["affirmed"].get(MODULES, ())) for claim_id, block in known.items()}
    gone = {claim_id for claim_id, names in home.items() if names and names[0] not in modules}
    found = {
        EVIDENCE: [each for each in known if each not in gone and not _as_affirmed(known[each], home[each])],
        NEW: sorted(set(modules) - {names[0] for names in home.values() if names}),
    }
    return {part: names for part, names in found.items() if names}


def _as_affirmed(block: Block, modules: tuple[str, ...]) -> bool:
    """Whether modules have the texts that were affirmed, plainly or with comments and layout aside."""
    try:
        if as_written(modules) == block["affirmed"].get(TEXTS):
            return True
        return (
            evidence_modules(modules[0]) == modules and f"its modules: {together(modules)}" in block[EVIDENCE]
        )
    except (InputError, LookupError, SyntaxError):
        return False


def blocks(path: Path) -> dict[str, Block]:
    """Return the blocks of one file by claim id; none if there is no such file."""
    if not path.exists():
        return {}
    stat = path.stat()
    return dict(_read(path, stat.st_mtime_ns, stat.st_size))


def said(claim: Claim) -> dict[str, Said]:
    """Return everything that a claim says, by part; what is empty is left out."""
    steps = [
        line
        for proof in (*claim.derivations, *claim.flaws)
        for derivation in [proof()]
        for line in (
            f"{proof.__name__}: {derivation.setting}",
            *(f"{proof.__name__}, {step.name}: {step.says} {step.recorded()}" for step in derivation.steps),
            f"{proof.__name__}, hence: {derivation.conclusion}",
        )
    ]
    kernel = claim.kernel
    parts: dict[str, Said] = {
        "title": claim.title,
        "paper": getattr(import_module(claim.module.rpartition(".")[0]), "PAPER", ""),
        "source": claim.source,
        "status": str(claim.status),
        "grade": str(claim.grade or ""),
        "scope": ": ".join(filter(None, [str(claim.scope or ""), claim.instances, claim.complete])),
        "statement": claim.statement,
        "hypotheses": list(claim.hypotheses),
        "words": claim.words,
        "rests_on": list(claim.rests_on),
        "corrected_by": claim.corrected_by or "",
        "topples": list(claim.topples),
        "licenses": list(claim.licenses),
        "tests": list(claim.tests),
        "asserts": [part.latex for part in claim.asserts],
        "coq": [] if kernel is None else [*kernel.theorems, kernel.covers, kernel.leaves],
        "steps": steps,
        "witness": _witness(claim),
        "checks": [
            f"{check.name} ({check.grade}): {check.cases} comparisons; detects {'; '.join(check.perturbed)}"
            for check in claim.checks
        ],
        "compares": [f"{check.name}: {check.says}" for check in claim.checks],
        EVIDENCE: evidence_code(claim),
    }
    return {name: value for name, value in parts.items() if value}


def _witness(claim: Claim) -> list[str]:
    witness = claim.witness
    if witness is None:
        return []
    return [
        witness.case,
        f"allowed {witness.printed}, {witness.sign}, true {witness.true}",
        f"{witness.count} smaller cases by {witness.order}",
        *(
            f"hypothesis: {premise if isinstance(premise, str) else 'evaluated'}"
            for premise in witness.premises
        ),
        f"detects {witness.perturbed}",
        witness.none_smaller,
        witness.by_hand,
    ]


def measure(claim: Claim) -> Measured:
    """Run all comparisons of a claim, plainly and under every perturbation; return what to record of them."""
    if not claim.checks:
        return {}
    return {
        SENSITIVITY: [check.sensitivity() for check in claim.checks],
        VALUES: [check.compared() for check in claim.checks],
    }


def recorded_sensitivity(claim: Claim, folder: Path = FOLDER) -> list[str]:
    """Return what was recorded of the sensitivity of a claim's checks when it was affirmed."""
    return list(blocks(_path(claim, folder)).get(claim.id, {}).get(SENSITIVITY, []))


def differences(claim: Claim, folder: Path = FOLDER, measured: Measured | None = None) -> dict[str, str]:
    """Return what a claim says differently from what was affirmed: both texts by part.

    Its Coq files and the machinery are parts, by their fingerprints. What affirming measures is compared if
    it was ``measured``.
    """
    known = blocks(_path(claim, folder)).get(claim.id)
    if known is None:
        return {}
    now: Mapping[str, Said] = said(claim) | dict(measured or {}) | _checking(fingerprints(claim))
    left_out = {"code", "affirmed"} | ({SENSITIVITY, VALUES} if measured is None else set())
    before = {name: value for name, value in known.items() if name not in left_out}
    before |= _checking(known["code"])
    return {
        name: _difference(before.get(name, ""), now.get(name, ""))
        for name in dict.fromkeys([*before, *now])
        if before.get(name) != now.get(name)
    }


def outdated(claim: Claim, folder: Path = FOLDER) -> str:
    """Return why the proof of ``claim`` is outdated, or an empty text if it is not."""
    remedy = f"check it and run splu-ref claims {claim.id} --reaffirm --reason TEXT"
    known = affirmed(folder).get(claim.id)
    try:
        present = fingerprints(claim)
    except InputError as error:
        return f"proof outdated: {error}"
    if known is None:
        return f"proof never affirmed: {remedy}"
    names = (known.keys() | present.keys()) - {ACCEPTED_BY, ACCEPTED_ON}
    code = sorted(name for name in names if known.get(name) != present.get(name))
    changed = [*(name for name in differences(claim, folder) if name not in (MACHINERY, COQ_FILES)), *code]
    return f"proof outdated, changed: {', '.join(changed)}; {remedy}" if changed else ""


def require_named(
    claim: Claim, changes: Collection[str], folder: Path = FOLDER, measured: Measured | None = None
) -> None:
    """Raise an error unless every part of the claim that says something else is among ``changes``.

    Raises
    ------
    InputError
        If one is not; the message shows both texts. Also if the claim was never affirmed, and that it is new
        is not among them.
    """
    if claim.id not in blocks(_path(claim, folder)) and NEW not in changes:
        raise InputError(f"{claim.id} was never affirmed: if it is a new claim, add --changes {NEW}")
    found = differences(claim, folder, measured)
    unnamed = {name: text for name, text in found.items() if name not in changes}
    if unnamed:
        shown = "; ".join(f"{name}: {text}" for name, text in unnamed.items())
        raise InputError(
            f"{claim.id} says something else than was affirmed ({shown}): if that is meant, add "
            f"--changes {','.join(unnamed)}"
        )


def affirm(
    claim: Claim,
    folder: Path = FOLDER,
    accepted_by: str = "",
    *,
    reason: str,
    measured: Measured | None = None,
) -> None:
    """Record what ``claim`` says and its present fingerprints. The caller has checked its evidence.

    Parameters
    ----------
    claim
        The claim.
    folder
        The folder of the papers.
    accepted_by
        The version of Coq that accepted its Coq files; empty if it has none, or they were accepted before.
    reason
        Why it is affirmed; kept in the file.
    measured
        What `measure` returns; measured here by default.

    Raises
    ------
    InputError
        If a name does not exist, or the file cannot be written.
    """
    path = _path(claim, folder)
    known = blocks(path)
    today = datetime.now(UTC).date().isoformat()
    code = fingerprints(claim)
    # the same Coq files as before were accepted before
    before = known.get(claim.id, {}).get("code", {})
    kept = ACCEPTED_BY in before and all(
        before.get(name) == code[name] for name in code if name.endswith(".v")
    )
    code |= {name: before[name] for name in (ACCEPTED_BY, ACCEPTED_ON)} if kept else {}
    if accepted_by:
        code |= {ACCEPTED_BY: accepted_by, ACCEPTED_ON: today}
    new = claim.id not in known
    measured = measure(claim) if measured is None else measured
    changed = [NEW] if new else list(differences(claim, folder, measured))
    modules = evidence_modules(claim.module)
    note = {
        "on": today,
        "reason": reason,
        "changed": changed,
        MODULES: list(modules),
        TEXTS: as_written(modules),
    }
    known[claim.id] = {**said(claim), **measured, "code": code, "affirmed": note}
    text = HEAD + "".join(_block(each, known[each]) for each in sorted(known))
    try:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text.encode(), force=True)
    except (InputError, OSError) as error:
        raise InputError(f"{error}: re-affirm from a checkout") from None


def _all_blocks(folder: Path) -> dict[str, Block]:
    found: dict[str, Block] = {}
    for path in sorted(folder.glob(f"*/{NAME}")):
        for claim_id, block in blocks(path).items():
            if claim_id.partition(".")[0] != path.parent.name:
                place = f"{path.parent.name}/{NAME}"
                raise InputError(f"{claim_id} stands in {place}: move it back to the folder of its paper")
            found[claim_id] = block
    return found


def _path(claim: Claim, folder: Path) -> Path:
    return folder / claim.id.partition(".")[0] / NAME


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int, _size: int) -> dict[str, Block]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _checking(code: Mapping[str, str]) -> dict[str, Said]:
    """Return what fingerprints say of the machinery and of proofs in Coq; the others are of the library."""
    files = [f"{name}: {digest}" for name, digest in code.items() if name.endswith(".v")]
    found: dict[str, Said] = {MACHINERY: code[MACHINERY], COQ_FILES: files}
    return {name: value for name, value in found.items() if value}


def _difference(before: Said, now: Said) -> str:
    if isinstance(before, list) or isinstance(now, list):
        old = before if isinstance(before, list) else []
        new = now if isinstance(now, list) else []
        gone, added = [each for each in old if each not in new], [each for each in new if each not in old]
        return f"{' | '.join(gone) or 'nothing'} -> {' | '.join(added) or 'nothing'}"
    return f"{before or 'nothing'} -> {now or 'nothing'}"


def _block(claim_id: str, block: Block) -> str:
    lines = [f"\n[{json.dumps(claim_id)}]"]
    lines += [f"{name} = {_value(value)}" for name, value in block.items() if not isinstance(value, dict)]
    for table in ("code", "affirmed"):
        lines.append(f"\n[{json.dumps(claim_id)}.{table}]")
        lines += [f"{_key(name)} = {_value(value)}" for name, value in block[table].items()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name, ensure_ascii=False)


def _value(value: object) -> str:
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_value(each)},\n" for each in value) + "]" if value else "[]"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= _WIDTH or "\\n" in text:
        return text
    # a long text over several lines: a backslash at the end of a line takes the break away
    body = " \\\n".join(wrap(text[1:-1], _WIDTH, break_long_words=False, break_on_hyphens=False))
    return f'"""\\\n{body}"""' if tomllib.loads(f'x = """\\\n{body}"""')["x"] == value else text
