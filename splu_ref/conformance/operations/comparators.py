"""Operations of the mechanisms that SPLU-Gen is compared with."""

from __future__ import annotations

from splu_ref.channels import Json, ParameterError
from splu_ref.conformance.operations.publishing import codes_of, domain_size, gamma_of
from splu_ref.mechanisms import PLANS, Anatomy, Budget, DistributionBased, LaplaceCounts
from splu_ref.randomness import TapeSource
from splu_ref.spec.requests import Fields, exact, number


def two_tables(fields: Fields) -> dict[str, Json]:
    """Answer Anatomy's two tables, made of a tape."""
    codes, gamma = codes_of(fields.integers("sensitive", 0)), gamma_of(fields)
    method, tape = fields.choice("method", PLANS), TapeSource(fields.octets("tape"))
    fields.finish()
    done = Anatomy(gamma, plan=method).publish_codes(codes, domain_size(codes), tape)
    return {
        "rows": done.rows.tolist(),
        "groups": done.groups.tolist(),
        "values": done.values.tolist(),
        "suppressed": done.suppressed.tolist(),
        "consumed": tape.consumed,
    }


def distribution_based(fields: Fields) -> dict[str, Json]:
    """Answer a release whose values are drawn from the histogram of the table."""
    codes, tape = codes_of(fields.integers("sensitive", 0)), TapeSource(fields.octets("tape"))
    fields.finish()
    done = DistributionBased().publish_codes(codes, domain_size(codes), tape)
    return {"published": done.published.tolist(), "rows": done.rows.tolist(), "consumed": tape.consumed}


def counts(fields: Fields) -> dict[str, Json]:
    """Answer counts with discrete Laplace noise, made of a tape."""
    true, given = fields.integers("counts", 0), fields.text("budget")
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    if not true:
        raise ParameterError("counts is empty: give at least one")
    logarithm, x = given.startswith("ln "), exact(given.removeprefix("ln "), "budget")
    noisy = LaplaceCounts(Budget.logarithm(x) if logarithm else Budget.of(x)).publish_counts(true, tape)
    return {"counts": [number(count) for count in noisy], "consumed": tape.consumed}
