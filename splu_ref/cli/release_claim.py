"""The claimed mechanism of a release: from options, manifest and transcript, which must agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from splu_ref.audit import AnyClaim, SpluGenByColumnClaim, SpluGenClaim, claim_of
from splu_ref.channels import Gamma, GroupDraws, ParameterError, PublishedCount, probability
from splu_ref.cli.options import splu_gen
from splu_ref.mechanisms import (
    Manifest,
    Mechanism,
    PerturbedGeneralization,
    RetentionReplacement,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    Transcript,
)

T = TypeVar("T")


def splu_gen_claim(
    stated: SpluGen | None,
    gamma: str | None,
    plan: str | None,
    retention: str | None,
    draws: str | None,
    *,
    planned: bool,
) -> SpluGenClaim:
    """Return the claim of the options and of the manifest or transcript, which must agree."""
    size = agreed(
        "--gamma", None if gamma is None else Gamma(gamma), None if stated is None else stated.gamma
    )
    law = PublishedCount.of(size, retention)
    group_draws = None if draws is None else GroupDraws.parse(draws)
    if stated is not None:
        agreed("--retention", None if retention is None else law, stated.record_law)
        law, plan = stated.record_law, agreed("--plan", plan, stated.plan)
        group_draws = agreed("--draws", group_draws, stated.draws)
    elif planned:
        plan = agreed("--plan", plan, None)
    return SpluGenClaim(law, plan, group_draws or GroupDraws())


def splu_gen_by_column_claim(
    stated: SpluGenByColumn | None,
    gamma: str | None,
    plan: str | None,
    retention: str | None,
    draws: str | None,
    columns: Sequence[str],
    *,
    planned: bool,
) -> AnyClaim:
    """Return the claim of the options and of the manifest, with a gamma for each column."""
    if stated is None:
        made = splu_gen(
            agreed("--gamma", gamma, None), retention, plan or "mixed", columns, str(draws or "independent")
        )
        if planned:
            agreed("--plan", plan, None)
        if isinstance(made, SpluGenByColumn):
            return SpluGenByColumnClaim.of(made, planned=plan is not None)
        return SpluGenClaim(made.record_law, plan, made.draws)
    optional = None if gamma is None else splu_gen(gamma, None, "mixed", columns)
    for name, each in stated.columns:
        agreed("--gamma", None if optional is None else optional.for_column(name).gamma, each.gamma)
        law = None if retention is None else PublishedCount.of(each.gamma, retention)
        agreed("--retention", law, each.record_law)
        agreed("--plan", plan, each.plan)
        agreed("--draws", None if draws is None else GroupDraws.parse(draws), each.draws)
    return claim_of(stated)


def refuse_group_options(
    gamma: str | None,
    plan: str | None,
    retention: str | None,
    draws: str | None,
    stated: Mechanism[object],
) -> None:
    """Raise if an option contradicts a manifest or transcript of a mechanism without groups."""
    for option, given in (("--gamma", gamma), ("--plan", plan), ("--draws", draws)):
        if given is not None:
            raise ParameterError(f"{option}: {stated.name} has no decoy groups: leave it out")
    if retention is not None:
        if not isinstance(stated, RetentionReplacement | Swapping | PerturbedGeneralization):
            raise ParameterError(f"--retention: {stated.name} has no retention probability: leave it out")
        agreed("--retention", probability(retention, "--retention"), stated.retention)


def stated_parameters(
    facts: Manifest | None, record: Transcript | None
) -> tuple[list[str] | None, Mechanism[object] | None]:
    """Return sensitive columns and mechanism of the manifest, or else of the transcript."""
    if facts is not None:
        return list(facts.domains), facts.mechanism
    return (None, None) if record is None else (list(record.sensitive), record.mechanism)


def require_one_release(facts: Manifest | None, record: Transcript | None) -> None:
    """Raise if manifest and transcript state different parameters; the message names the first."""
    if facts is None or record is None:
        return
    stated, other = ({"method": each.name, **each.facts()} for each in (facts.mechanism, record.mechanism))
    for name in dict.fromkeys((*stated, *other)):
        if stated.get(name) != other.get(name):
            one, two = (_fact_text(each.get(name)) for each in (stated, other))
            raise ParameterError(
                f"{name} is {one} in the manifest and {two} in the transcript: give both files of one release"
            )


def _fact_text(fact: object) -> str:
    if isinstance(fact, Mapping):
        return ",".join(f"{column}={each}" for column, each in fact.items())
    return "not stated" if fact is None else str(fact)


def agreed(option: str, given: T | None, stated: T | None) -> T:
    """Return the value of an option or of the manifest or transcript, which must agree."""
    if given is not None and stated is not None and given != stated:
        raise ParameterError(
            f"{option} contradicts the manifest or the transcript: leave it out, or give the right file"
        )
    found = stated if given is None else given
    if found is None:
        raise ParameterError(f"{option} is missing: give it, or the release's --manifest")
    return found
