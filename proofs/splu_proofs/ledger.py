"""The ledger: every claim with its status, what it rests on, and the means to check it again.

Importing this module loads no claim; the claims load on first use, and SymPy when one is run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from shutil import which
from time import perf_counter
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from splu_ref.channels.parameters import InputError

from .affirmation import (
    ACCEPTED_ON,
    EVIDENCE,
    FOLDER,
    NAME,
    SENSITIVITY,
    affirm,
    affirmed,
    changed_since,
    differences,
    measure,
    outdated,
    recorded_sensitivity,
    require_named,
)
from .binding import require_known_files
from .check import insensitive
from .claim import Claim, Status
from .dependence import in_order
from .evidence import Evidence, Grade, strongest
from .kernel import Kernel, accepted_together
from .plain_code import require_plain
from .result import ClaimResult
from .self_check import require_able_to_refuse

if TYPE_CHECKING:
    from splu_ref.estimators import Method

Progress = Callable[[str, int, int], None]
"""Called before each claim with its id, how many are done, and how many there are."""


Entry = TypeVar("Entry")
Result = TypeVar("Result")

COQ = "Coq"
"""What stands among the claims of a run for the compilation of all Coq files."""


class Spread(Protocol):
    """Who does the work of a run: every item once, in whatever order, each handed back as it is done."""

    def __call__(
        self, function: Callable[[str], Result], items: Sequence[str], begun: Callable[[str, int], None], /
    ) -> Iterable[tuple[str, Result]]:
        """Yield each item with what ``function``, which can be pickled, returns for it.

        ``begun`` is derived of every item that is begun, and how many have been done.
        """
        ...


def in_turn(
    function: Callable[[str], Result], items: Sequence[str], begun: Callable[[str, int], None], /
) -> Iterator[tuple[str, Result]]:
    """Do everything here, in its order."""
    for done, item in enumerate(items):
        begun(item, done)
        yield item, function(item)


@dataclass(frozen=True)
class _Examined:
    """What the examination of one claim found, or Coq's of several: evidence by claim, and its time.

    ``stale`` says why a proof is outdated.
    """

    evidence: Mapping[str, tuple[Evidence, ...]]
    seconds: float
    stale: str = ""


class Registry(Mapping[str, Entry]):
    """Functions or objects by claim id or name, each imported on first use."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(places)

    def __getitem__(self, key: str) -> Entry:
        module, _, name = self._places[key].partition(":")
        kept: Entry = getattr(import_module(module), name)
        return kept

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Ledger:
    """The claims of the source documents.

    Parameters
    ----------
    packages
        Packages of proofs, one for each source document; each names the document in ``PAPER``, and its
        modules, in order, in ``MODULES``.
    printed
        Refuted forms by claim id, as ``module:function``, for comparison only.
    figures
        Data of redrawn figures by claim id, as ``module:function``.
    affirmed
        The folder that has a folder for each paper with what was affirmed of its claims.
    methods
        Refuted methods of estimation by name, as ``module:object``, for comparison only.
    """

    def __init__(
        self,
        packages: Iterable[str],
        printed: Mapping[str, str],
        figures: Mapping[str, str],
        affirmed: Path = FOLDER,
        methods: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._packages = tuple(packages)
        self._affirmed = affirmed
        self.printed: Registry[Callable[..., Any]] = Registry(printed)
        self.figures: Registry[Callable[..., Any]] = Registry(figures)
        self.methods: Registry[Method] = Registry(methods)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to load the ledger: where the claims are, not the claims."""
        return {name: value for name, value in vars(self).items() if name != "_claims"}

    @cached_property
    def _claims(self) -> dict[str, Claim]:
        return self._load(())

    def _load(self, changes: Collection[str]) -> dict[str, Claim]:
        """Import the modules of the claims, after reading their texts and comparing them with the record.

        Raises
        ------
        InputError
            If a text differs from the record, and ``changes`` does not name that; if a module reaches what
            judges it, or something else could be imported from the checkout.
        """
        require_known_files()
        require_plain()
        modules = [f"{name}.{each}" for name in self._packages for each in import_module(name).MODULES]
        self._require_affirmed_texts(modules, changes)
        found: dict[str, Claim] = {}
        for module in modules:
            values = vars(_proof(module)).values()
            own = dict.fromkeys(each for each in values if isinstance(each, Claim) and each.module == module)
            if not own:
                raise InputError(f"{module} has no claim: take it out of MODULES")
            for value in own:
                if value.id in found:
                    raise InputError(f"{value.id} stands twice in the ledger: rename one of the claims")
                found[value.id] = value
        return found

    def __iter__(self) -> Iterator[Claim]:
        """Iterate over the claims in the order of the documents."""
        return iter(self._claims.values())

    def __len__(self) -> int:
        return len(self._claims)

    def get(self, claim_id: str) -> Claim:
        """Return the claim ``claim_id``.

        Raises
        ------
        InputError
            If there is none; the message names the closest ids.
        """
        try:
            return self._claims[claim_id]
        except KeyError:
            close = get_close_matches(claim_id, self._claims, n=3, cutoff=0.5)
            remedy = (
                f"did you mean {' or '.join(close)}?" if close else f"the ids are {', '.join(self._claims)}"
            )
            raise InputError(f"the ledger has no claim {claim_id!r}: {remedy}") from None

    def by_paper(self) -> dict[str, list[Claim]]:
        """Return the claims by the source document that they belong to, both in their order."""
        found: dict[str, list[Claim]] = {}
        for claim in self:
            found.setdefault(_paper(claim), []).append(claim)
        return found

    def dependants(self, claim_id: str) -> tuple[str, ...]:
        """Return the ids of the claims that rest directly on ``claim_id``."""
        self.get(claim_id)
        return tuple(claim.id for claim in self if claim_id in claim.rests_on)

    def fallen_with(self, claim_id: str) -> tuple[str, ...]:
        """Return the ids of the claims that rest on ``claim_id``, directly or not."""
        reached = [claim_id]
        for current in reached:  # grows while it is walked
            reached += [each for each in self.dependants(current) if each not in reached]
        return tuple(reached[1:])

    def rows(self, claim_id: str | None = None) -> list[dict[str, object]]:
        """Return the claims, or one of them, as plain values for JSON."""
        return [self._row(claim) for claim in ([self.get(claim_id)] if claim_id else self)]

    def _row(self, claim: Claim) -> dict[str, object]:
        witness = claim.witness
        return {
            "id": claim.id,
            "paper": _paper(claim),
            "source": claim.source,
            "title": claim.title,
            "status": str(claim.status),
            "grade": None if claim.grade is None else str(claim.grade),
            "scope": None if claim.scope is None else str(claim.scope),
            "instances": claim.instances,
            "statement": claim.statement,
            "words": claim.words,
            "hypotheses": list(claim.hypotheses),
            "witness": None if witness is None else witness.as_json(),
            "corrected_by": claim.corrected_by,
            "topples": list(claim.topples),
            "depends_on": list(claim.rests_on),
            "dependants": list(self.dependants(claim.id)),
            "licenses": list(claim.licenses),
            "tests": list(claim.tests),
            "kernel": None if claim.kernel is None else claim.kernel.as_json(),
        }

    def run(
        self,
        claim_id: str = "all",
        progress: Progress | None = None,
        *,
        coq: bool = False,
        spread: Spread = in_turn,
    ) -> list[ClaimResult]:
        """Check the evidence and the binding of one claim, or of all.

        With ``coq`` Coq compiles its part of them, if it is installed: every file once, whoever rests on it.
        Otherwise what Coq once accepted is taken from the record, and the result says so. ``spread`` may
        share the claims among processes; what comes out does not depend on who examined which.

        A claim that rests, directly or not, on one that failed in the same run fails with it. A refutation
        does not: what its claim rests on is the printed text's argument, not the counterexample's.

        Raises
        ------
        InputError
            If there is no such claim, if claims name one that is not there or rest on each other, or, for
            all, if a claim that was affirmed once is no longer there; or if the machinery accepts what is
            false.
        """
        premises_first = in_order(self._claims)
        require_able_to_refuse()  # once all claims are loaded: importing them may have changed what judges
        if claim_id == "all":
            self._require_affirmed_claims()
        claims = list(self) if claim_id == "all" else [self.get(claim_id)]
        compiled = [claim.id for claim in claims if claim.kernel is not None and coq and which("coqc")]
        items = [*([COQ] if compiled else []), *(claim.id for claim in claims)]

        def begun(item: str, done: int) -> None:
            if progress is not None:
                progress(item, done, len(items))

        parts = dict(spread(partial(self._part, compiled=tuple(compiled)), items, begun))
        coq_part = parts[COQ] if compiled else None  # a part that was lost is an error, and no evidence
        results = {claim.id: self._judged(claim, parts[claim.id], coq_part) for claim in claims}
        for claim in premises_first:
            broken = [each for each in claim.rests_on if each in results and not results[each].passed]
            if broken and claim.id in results and claim.status is not Status.REFUTED:
                results[claim.id] = results[claim.id].failed(f"rests on {', '.join(broken)}, which failed")
        return list(results.values())

    def reaffirm(
        self, *claim_ids: str, reason: str, changes: Collection[str] = ()
    ) -> dict[str, dict[str, str]]:
        """Check the evidence of claims and, if all of it holds, record what they say and their fingerprints.

        Evidence is examined first, and every comparison under every perturbation. If part of a claim is
        proved in Coq, Coq compiles that part now, unless these are the files that it accepted before.

        Parameters
        ----------
        claim_ids
            The claims. Each is affirmed by itself, in this order.
        reason
            Why they are affirmed; kept in the file.
        changes
            The parts of the claims, such as ``words`` or the code of the ``evidence``, that may be different
            from what was affirmed; ``new`` for claims that were never affirmed.

        Returns
        -------
        dict
            What each claim says differently than before: both texts by part.

        Raises
        ------
        InputError
            If there is no reason, a claim is missing, something else than the library has changed in a part
            that is not named, the evidence does not hold, or not all of it could be checked here, or if the
            machinery accepts what is false.
        """
        if not reason.strip():
            raise InputError("affirming needs a reason, which is kept: --reason TEXT")
        if changes and "_claims" not in vars(self):
            vars(self)["_claims"] = self._load(changes)
        self._require_affirmed_claims()
        require_able_to_refuse()
        changed: dict[str, dict[str, str]] = {}
        for claim in [self.get(claim_id) for claim_id in claim_ids]:
            require_named(claim, changes, self._affirmed)
            evidence, version = claim.examine(), ""
            measured = measure(claim)
            evidence += _sensitive(claim, measured.get(SENSITIVITY, []))
            if claim.kernel is not None:
                accepted, version = self._accepted(claim.id, claim.kernel)
                evidence.append(_weighed(claim, accepted))
            result = _result(claim, evidence, 0.0, "")
            if not result.passed or any(each.missing for each in evidence):
                raise InputError(f"{claim.id} is not affirmed: {result.message}")
            require_named(claim, changes, self._affirmed, measured)
            changed[claim.id] = differences(claim, self._affirmed, measured)
            affirm(claim, self._affirmed, version, reason=reason, measured=measured)
        return changed

    def _require_affirmed_texts(self, modules: Collection[str], changes: Collection[str]) -> None:
        """Raise an error if a module differs from the record, unless ``changes`` names that."""
        for part, names in changed_since(modules, self._affirmed).items():
            if part not in changes:
                more = f" and {len(names) - 3} more" if len(names) > 3 else ""
                what = "evidence changed since it was affirmed" if part == EVIDENCE else "no affirmed claim"
                raise InputError(
                    f"{', '.join(names[:3])}{more}: {what}, so no proof is imported; read the change and run "
                    f"splu-ref claims ID --reaffirm --reason TEXT --changes {part}"
                )

    def _require_affirmed_claims(self) -> None:
        """Raise an error if a claim that was affirmed once is no longer there."""
        if gone := sorted(affirmed(self._affirmed).keys() - self._claims.keys()):
            raise InputError(
                f"{', '.join(gone)}: affirmed once and now missing from the ledger: restore the proof, or "
                f"take the entry out of its {NAME} on purpose"
            )

    def _accepted(self, claim_id: str, kernel: Kernel) -> tuple[Evidence, str]:
        """Return that Coq accepts the files, and its version; empty if it accepted these files before."""
        recorded = kernel.recorded(affirmed(self._affirmed).get(claim_id, {}))
        return (recorded, "") if recorded.holds else kernel.accept()

    def _part(self, item: str, compiled: Sequence[str] = ()) -> _Examined:
        """Do one item of a run: examine a claim in Python, or have Coq compile the part of several."""
        start = perf_counter()
        if item == COQ:
            kernels = {each: kernel for each in compiled if (kernel := self.get(each).kernel) is not None}
            accepted = accepted_together(kernels)
            return _Examined({each: (accepted[each],) for each in accepted}, perf_counter() - start)
        claim = self.get(item)
        evidence = claim.examine() + _sensitive(claim, recorded_sensitivity(claim, self._affirmed))
        if claim.kernel is not None and item not in compiled:
            known = affirmed(self._affirmed).get(item, {})
            evidence.append(replace(claim.kernel.recorded(known), recorded=True))
        stale = outdated(claim, self._affirmed)
        return _Examined({item: tuple(evidence)}, perf_counter() - start, stale)

    def _judged(self, claim: Claim, own: _Examined, coq: _Examined | None = None) -> ClaimResult:
        """Return what came of a claim; the time of Coq is shared evenly by the claims it compiled for."""
        evidence, seconds = list(own.evidence[claim.id]), own.seconds
        if coq is not None and claim.kernel is not None:
            evidence += coq.evidence[claim.id]
            seconds += coq.seconds / len(coq.evidence)
        if claim.kernel is not None:
            evidence[-1] = _weighed(claim, evidence[-1])
        result = _result(claim, evidence, seconds, own.stale)
        if any(each.recorded and each.grade for each in evidence):
            on = affirmed(self._affirmed).get(claim.id, {}).get(ACCEPTED_ON, "")
            words = f"recorded on {on}" if on else "recorded when it was affirmed"
            return replace(result, recorded=f"{words}, not checked here")
        return result


def _proof(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise InputError(f"there is no module {module}: restore the proof") from None
    except ValueError as error:
        raise InputError(f"{module} describes a claim wrongly: {error}") from None


def _paper(claim: Claim) -> str:
    """Return the source document of the package that holds the claim."""
    return str(import_module(claim.module.rpartition(".")[0]).PAPER)


def _result(claim: Claim, evidence: list[Evidence], seconds: float, stale: str) -> ClaimResult:
    failures = [f"{each.name}: {each.summary}" for each in evidence if not each.holds]
    missing = [f"{each.name}: {each.missing}" for each in evidence if each.missing]
    reached = strongest([each.grade for each in evidence if each.holds and not each.missing and each.grade])
    grade = _allowed(claim.grade, reached)
    if not failures and not missing and grade != claim.grade:
        failures.append(f"the evidence reaches the grade {reached}, not {claim.grade}")
    return ClaimResult(
        id=claim.id,
        status=claim.status,
        grade=grade,
        passed=not failures and not stale,
        evidence=tuple(evidence),
        seconds=seconds,
        message="; ".join(filter(None, [*failures, stale, *missing])),
    )


def _sensitive(claim: Claim, lines: list[str]) -> list[Evidence]:
    """Return the failure of every check of which too few comparisons are sensitive to its perturbations."""
    wrong = list(filter(None, map(insensitive, lines)))
    names = [line.partition(":")[0] for line in lines]
    if names != [check.name for check in claim.checks]:
        wrong.append(f"was measured of {', '.join(names) or 'no check'}")
    return [Evidence("sensitivity", None, False, why) for why in wrong]


def _weighed(claim: Claim, accepted: Evidence) -> Evidence:
    """Return what Coq accepts, without its grade where it is too small a part to give it to the claim."""
    return accepted if claim.grade is Grade.KERNEL else replace(accepted, grade=None)


def _allowed(declared: Grade | None, reached: Grade | None) -> Grade | None:
    """Return the grade to report: what was reached, but never more than the claim declares."""
    if declared is None or reached is None:
        return None
    return max(declared, reached, key=list(Grade).index)
