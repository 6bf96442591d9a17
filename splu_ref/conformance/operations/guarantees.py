"""Operations on guarantees: error probabilities, T_P, T_f, concepts, certificates and tuples."""

from __future__ import annotations

from splu_ref.audit import ConceptCase, concept_error
from splu_ref.certificate_checker import Unreadable, check_text
from splu_ref.channels import Json, ParameterError, positive
from splu_ref.conformance.operations.publishing import gamma_of, retention_of
from splu_ref.conformance.operations.text_columns import declared_columns
from splu_ref.guarantees import error_probability, privacy_minimum, utility_threshold
from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import TapeSource
from splu_ref.spec.requests import Fields, number, written

MOST_TRIALS = 500
"""Largest gamma f for which the error of a concept is summed over every outcome."""


def error(fields: Fields) -> dict[str, Json]:
    """Answer the probability that a published count is wrong by epsilon f or more."""
    gamma, epsilon, frequency = gamma_of(fields), fields.exact("epsilon"), fields.integer("frequency", 1)
    retention = retention_of(fields)
    fields.finish()
    return {"probability": written(error_probability(gamma, epsilon, frequency, retention=retention).exact())}


def minimum(fields: Fields) -> dict[str, Json]:
    """Answer T_P, the least error probability over the counts 1 to alpha."""
    gamma, epsilon, alpha = gamma_of(fields), fields.exact("epsilon"), fields.integer("alpha", 1)
    retention = retention_of(fields)
    fields.finish()
    error_probability(gamma, epsilon, alpha, strict=True, retention=retention).refuse_long()
    least = privacy_minimum(gamma, epsilon, alpha, retention=retention)
    return {
        "t_p": written(least.t_p.exact()),
        "argmin": least.argmin,
        "t_p_definition": written(least.t_p_definition.exact()),
        "argmin_definition": least.argmin_definition,
    }


def threshold(fields: Fields) -> dict[str, Json]:
    """Answer T_f, the least count from which every error probability is at most T_E."""
    gamma, epsilon, t_e = gamma_of(fields), fields.exact("epsilon"), fields.exact("t_e")
    retention = retention_of(fields)
    fields.finish()
    return {"threshold": utility_threshold(gamma, epsilon, t_e, retention=retention).threshold}


def concept(fields: Fields) -> dict[str, Json]:
    """Answer the error probability of one conjunctive concept under the closed form."""
    gamma, epsilon = gamma_of(fields), fields.exact("epsilon")
    case = ConceptCase(
        predicate_count=fields.integer("predicate_count", 1),
        concept_count=fields.integer("concept_count", 1),
        sensitive_count=fields.integer("sensitive_count", 1),
        rows=fields.integer("rows", 1),
        decoys_in_predicate=fields.integer("decoys_in_predicate", 0),
    )
    fields.finish()
    positive(epsilon, "epsilon")
    _require_possible(case, gamma)
    return {"probability": written(concept_error(gamma, epsilon, case))}


def _require_possible(case: ConceptCase, gamma: int) -> None:
    """Raise unless some table holds such a concept, small enough to sum over all its outcomes."""
    inside = case.concept_count + case.decoys_in_predicate
    outside = gamma * case.sensitive_count - inside
    possible = (
        case.concept_count <= case.sensitive_count
        and case.decoys_in_predicate <= (gamma - 1) * case.sensitive_count
        and inside <= case.predicate_count
        and outside <= case.rows - case.predicate_count
        and case.sensitive_count - case.concept_count <= outside
    )
    if not possible:
        raise ParameterError("no table has these counts: count all of them in one table")
    if gamma * case.sensitive_count > MOST_TRIALS:
        raise ParameterError(f"gamma sensitive_count is above {MOST_TRIALS}: ask about a rarer value")


def certificate(fields: Fields) -> dict[str, Json]:
    """Answer what a checker says of a certificate."""
    text = fields.text("text")
    fields.finish()
    try:
        verdict = check_text(text)
    except Unreadable:
        return {"verdict": "unreadable"}
    return {"verdict": "valid" if verdict.valid else "false"}


def publish_alpha_beta(fields: Fields) -> dict[str, Json]:
    """Answer the tuples that the alpha-beta algorithm publishes from a tape, and their numbers."""
    columns = {column.name: column for column in declared_columns(fields)}
    domains = {name: column.domain for name, column in columns.items()}
    mechanism = AlphaBeta(fields.exact("alpha"), fields.exact("beta"), domains)
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    codes = [columns[name].codes(domain) for name, domain in mechanism.domains]
    if not len(codes[0]):
        raise ParameterError("there is no tuple: give at least one")
    members, _ = mechanism.members(mechanism.numbers(codes))
    numbers = mechanism.publish_tuples(members, mechanism.size, tape).tolist()
    return {
        "columns": [name for name, _ in mechanism.domains],
        "published": [_cells(each, mechanism) for each in numbers],
        "consumed": tape.consumed,
        "members": [number(each) for each in members.tolist()],
        "numbers": [number(each) for each in numbers],
    }


def _cells(numbered: int, mechanism: AlphaBeta) -> list[str]:
    """Return the values of the tuple with a number."""
    cells = []
    for _, domain in reversed(mechanism.domains):
        numbered, code = divmod(numbered, len(domain))
        cells.append(domain[code])
    return cells[::-1]
