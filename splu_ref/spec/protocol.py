"""The conformance protocol: answers one JSON object a line by calling the rest of this package."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import astuple
from fractions import Fraction
from typing import NoReturn

from splu_ref.spec import (
    alpha_beta,
    assignments,
    certificates,
    channels,
    comparators,
    draws,
    entropy,
    estimates,
    generalization,
    keys,
    laws,
    manifests,
    operators,
    plans,
    randomness,
    retention,
    splu_gen,
    swapping,
    tables,
)
from splu_ref.spec.errors import Refused, TapeExhausted, Unsupported, require
from splu_ref.spec.randomness import Tape
from splu_ref.spec.requests import Fields, exact, list_of, number, numbers, text_of, written
from splu_ref.spec.splu_gen import OneStream

Answer = dict[str, object]

MOST = 1_000_000
"""Items that one request may ask for."""


def tape_of(fields: Fields) -> Tape:
    """Return the tape of a request, whose last field it is."""
    tape = Tape(fields.octets("tape"))
    fields.finish()
    return tape


# Bytes


def below(fields: Fields) -> Answer:
    """Answer integers below a bound."""
    bound, size = fields.integer("bound", 1), fields.integer("size", 0, MOST)
    tape = tape_of(fields)
    return {"result": numbers(randomness.integers_below(tape, bound, size)), "consumed": tape.consumed}


def coins(fields: Fields) -> Answer:
    """Answer coins."""
    size, tape = fields.integer("size", 0, MOST), tape_of(fields)
    return {"result": randomness.coins(tape, size), "consumed": tape.consumed}


def permutation(fields: Fields) -> Answer:
    """Answer an order."""
    size, tape = fields.integer("size", 0, MOST), tape_of(fields)
    return {"result": randomness.permutation(tape, size), "consumed": tape.consumed}


def order_within(fields: Fields) -> Answer:
    """Answer an order within codes."""
    codes, tape = fields.integers("codes"), tape_of(fields)
    return {"result": randomness.order_within(tape, codes), "consumed": tape.consumed}


def subset(fields: Fields) -> Answer:
    """Answer a subset."""
    population, count = fields.integer("population", 0, 2**63), fields.integer("count", 0, 10_000)
    tape = tape_of(fields)
    return {"result": numbers(randomness.subset(tape, population, count)), "consumed": tape.consumed}


def seeded(fields: Fields) -> Answer:
    """Answer bytes of a seeded stream."""
    seed, size = fields.octets("seed"), fields.integer("size", 0, MOST)
    fields.finish()
    return {"bytes": randomness.seeded(seed).read(size).hex()}


def key_file(fields: Fields) -> Answer:
    """Answer the key of a key file."""
    content = fields.octets("file")
    fields.finish()
    return {"key": keys.parse_key_file(content).hex()}


def release_of(
    fields: Fields, mechanism: str, facts: list[tuple[str, str]], law: str, sensitive: list[str]
) -> keys.Release:
    """Return what a release depends on, of the other fields of a request."""
    id_column, missing = fields.optional_text("id_column"), fields.optional_text("missing")
    columns, records = fields.texts("columns"), fields.octet_lists("records")
    return keys.Release(mechanism, facts, law, sensitive, id_column, missing, columns, records)


def release_key(fields: Fields) -> Answer:
    """Answer the key of a release."""
    key = keys.secret_key(fields.octets("key"))
    mechanism, sensitive = fields.text("mechanism"), fields.texts("sensitive")
    facts = []
    for pair in map(list_of, list_of(fields.take("facts"))):
        require(len(pair) == 2, "a fact is a name and a text")
        facts.append((text_of(pair[0]), text_of(pair[1])))
    told = dict(facts)
    require(len(told) == len(facts), "a fact stands twice")
    release = release_of(fields, mechanism, facts, told.get("draws", "independent"), sensitive)
    fields.finish()
    digest = keys.keyed_table_digest(key, release.records)
    return {
        "table": digest.hex(),
        "message": release.message(key).hex(),
        "release_key": release.key(key).hex(),
    }


def keyed(fields: Fields) -> Answer:
    """Answer the choices for the records of a keyed release."""
    key, column = keys.secret_key(fields.octets("release_key")), fields.text("column")
    source = keys.KeyedRecords(key, column, fields.octet_lists("identities"))
    codes, bound, remainder = (
        fields.integers("codes"),
        fields.integer("bound", 1),
        fields.integer("remainder"),
    )
    fields.finish()
    records = range(len(source.identities))
    require(len(codes) == len(records), "codes and identities differ in length")
    return {
        "order_within": source.order_within(codes, records),
        "permutation": source.permutation(records),
        "subset": source.subset(records, remainder),
        "below": numbers(source.below(bound, records)),
    }


def plan_secret(fields: Fields) -> Answer:
    """Answer bytes of the stream of a plan's block."""
    source = keys.KeyedRecords(keys.secret_key(fields.octets("release_key")), fields.text("column"), [])
    block, size = fields.integer("block", 0, MOST), fields.integer("size", 0, MOST)
    fields.finish()
    return {"bytes": source.plan_stream(block).read(size).hex()}


# Publishing


def plan(fields: Fields) -> Answer:
    """Answer a plan."""
    histogram, gamma = fields.integers("histogram", None), fields.integer("gamma")
    method = fields.choice("method", *plans.METHODS)
    if method != "mixed":
        fields.finish()
        blocks = plans.plan(method, histogram, gamma, lambda _: Tape(b""))
        return {"groups": [group for block in blocks for group in block]}
    tape = tape_of(fields)
    plans.require_feasible(histogram, gamma)
    cut = plans.blocks_of(plans.cyclic(histogram, gamma))
    passes = [list(plans.passes_over(block, tape)) for block in cut]
    answer: Answer = {"groups": [group for made in passes for group in made[-1]], "consumed": tape.consumed}
    return answer if len(cut) > 1 else {**answer, "passes": passes[0][1:]}


def parameters_of(fields: Fields) -> splu_gen.Parameters:
    """Return the parameters of SPLU-Gen."""
    gamma, method = fields.integer("gamma"), fields.choice("method", *plans.METHODS)
    kept, law = fields.optional_exact("retention"), fields.optional_text("draws")
    return splu_gen.Parameters(gamma, method, kept, draws.Law.of("independent" if law is None else law))


def draws_of_tape(fields: Fields) -> Answer:
    """Answer draws."""
    gamma, kept = fields.integer("gamma"), fields.optional_exact("retention")
    rule = draws.Rule.of(gamma, splu_gen.Parameters(gamma, retention=kept).kept)
    size, tape = fields.integer("size", 0, MOST), tape_of(fields)
    drawn = [rule.draw(integer) for integer in randomness.integers_below(tape, rule.bound, size)]
    return {"result": drawn, "consumed": tape.consumed}


def codes_of(fields: Fields) -> list[int]:
    """Return the codes of a request."""
    codes = fields.integers("sensitive")
    require(len(codes) > 0 and max(codes) <= MOST, "there is no record, or a code is too large")
    return codes


def publish(fields: Fields) -> Answer:
    """Answer a release of one column."""
    codes, parameters, tape = codes_of(fields), parameters_of(fields), tape_of(fields)
    done = splu_gen.publish([codes], parameters, lambda _: OneStream(tape))
    column = done.columns[0]
    drawn: Answer = {"integers": numbers(column.integers)}
    if parameters.law.name != "independent":
        drawn = {"marked": column.marked, "shown": column.shown}
    return {
        "published": done.published[0],
        "consumed": tape.consumed,
        "suppressed": done.suppressed,
        "groups": column.groups,
        "order": column.order,
        **drawn,
        "rows": done.rows,
    }


def release(fields: Fields) -> Answer:
    """Answer a release of several columns."""
    columns, parameters, tape = fields.columns("sensitive"), parameters_of(fields), tape_of(fields)
    require(
        max(map(max, columns), default=0) <= MOST if columns[0] else False,
        "there is no record, or a large code",
    )
    done = splu_gen.publish(columns, parameters, lambda _: OneStream(tape))
    told = {"rows": done.rows, "suppressed": done.suppressed, "consumed": tape.consumed}
    return {"published": done.published, **told}


def publish_keyed(fields: Fields) -> Answer:
    """Answer a keyed release."""
    codes, parameters = codes_of(fields), parameters_of(fields)
    key, column = keys.secret_key(fields.octets("key")), fields.text("column")
    release = release_of(fields, "SPLU-Gen", parameters.facts(), parameters.law.text, [column])
    identities = fields.octet_lists("identities")
    fields.finish()
    require(
        len(release.records) == len(identities) == len(codes),
        "records, identities and codes differ in length",
    )
    source = keys.KeyedRecords(release.key(key), column, identities)
    done = splu_gen.publish([codes], parameters, lambda _: source)
    return {"published": done.published[0], "rows": done.rows, "suppressed": done.suppressed}


def publish_random(fields: Fields) -> Answer:
    """Answer releases of the system's entropy."""
    codes, parameters, times = codes_of(fields), parameters_of(fields), fields.integer("times", 1, 10_000)
    fields.finish()
    source = OneStream(randomness.SystemStream())
    done = [splu_gen.publish([codes], parameters, lambda _: source) for _ in range(times)]
    return {"published": [each.published[0] for each in done], "rows": [each.rows for each in done]}


def declared(fields: Fields, *, with_laws: bool = False) -> list[retention.DeclaredColumn]:
    """Return the columns of a request with their declared domains."""
    columns = []
    for entry in list_of(fields.take("sensitive")):
        require(isinstance(entry, dict), "a column is an object")
        assert isinstance(entry, dict)
        own = Fields(entry)
        require("op" not in entry and "id" not in entry, "a column has no such key")
        name, domain, cells = own.text("column"), own.texts("domain"), own.texts("cells")
        law = [exact(text) for text in own.texts("law")] if with_laws else None
        own.finish()
        columns.append(retention.DeclaredColumn(name, domain, cells, law))
    require(len({column.name for column in columns}) == len(columns), "a column stands twice")
    return columns


def retention_of(fields: Fields) -> tuple[list[retention.DeclaredColumn], retention.Parameters]:
    """Return the columns and the parameters of retention replacement."""
    kept = fields.exact("retention")
    replacing = fields.choice("replacing", "uniform", "given", "identity")
    order = fields.choice("order", "kept", "shuffled")
    unit = fields.choice("unit", "cell", "record") if fields.has("unit") else "cell"
    return declared(fields, with_laws=replacing == "given"), retention.Parameters(
        kept, replacing, order, unit
    )


def publish_retention(fields: Fields) -> Answer:
    """Answer a release by retention replacement."""
    columns, parameters = retention_of(fields)
    tape = tape_of(fields)
    done = retention.publish(columns, parameters, lambda _: OneStream(tape))
    return {
        "published": done.published,
        "facts": parameters.facts(columns),
        "consumed": tape.consumed,
        "rows": done.rows,
        "integers": [numbers(integers) for integers in done.integers],
    }


def publish_retention_keyed(fields: Fields) -> Answer:
    """Answer a keyed release by retention replacement."""
    columns, parameters = retention_of(fields)
    key, names = keys.secret_key(fields.octets("key")), [column.name for column in columns]
    facts = parameters.facts(columns)
    release = release_of(fields, "retention replacement", facts, "independent", names)
    identities = fields.octet_lists("identities")
    fields.finish()
    require(
        all(len(column.cells) == len(identities) == len(release.records) for column in columns),
        "records, identities and cells differ in length",
    )
    made = release.key(key)
    done = retention.publish(columns, parameters, lambda n: keys.KeyedRecords(made, names[n], identities))
    return {"published": done.published, "facts": facts, "rows": done.rows}


def publish_swap(fields: Fields) -> Answer:
    """Answer a release by swapping."""
    columns, kept, tape = fields.columns("sensitive"), fields.exact("retention"), tape_of(fields)
    done = swapping.publish(columns, kept, lambda _: OneStream(tape))
    return {
        "published": [each.published for each in done],
        "consumed": tape.consumed,
        "cells": [each.cells for each in done],
        "places": [each.places for each in done],
    }


def publish_operator(fields: Fields) -> Answer:
    """Answer a release by a matrix."""
    codes, matrix = fields.integers("sensitive"), fields.matrix("matrix", 32)
    order, tape = fields.choice("order", "kept", "shuffled"), tape_of(fields)
    done = operators.publish(codes, matrix, order, OneStream(tape))
    integers = numbers(done.integers)
    return {"published": done.published, "consumed": tape.consumed, "rows": done.rows, "integers": integers}


def publish_pg(fields: Fields) -> Answer:
    """Answer a release by perturbed generalization."""
    codes, quasi = codes_of(fields), fields.columns("quasi")
    least, values, kept = (
        fields.integer("least", 1),
        fields.integer("values", 2, 1000),
        fields.exact("retention"),
    )
    tape = tape_of(fields)
    done = generalization.publish(codes, quasi, least, values, kept, tape)
    group_of = {record: group for group, members in enumerate(done.groups) for record in members}
    return {
        "published": done.published,
        "ranges": done.ranges,
        "sizes": [len(members) for members in done.groups],
        "consumed": tape.consumed,
        "groups": [group_of[record] for record in range(len(codes))],
        "rows": done.chosen,
        "integers": numbers(done.integers),
    }


def publish_alpha_beta(fields: Fields) -> Answer:
    """Answer a release by the alpha-beta algorithm."""
    columns, alpha, beta = declared(fields), fields.exact("alpha"), fields.exact("beta")
    tape = tape_of(fields)
    done = alpha_beta.publish(columns, alpha, beta, tape)
    return {
        "columns": done.columns,
        "published": done.published,
        "consumed": tape.consumed,
        "members": numbers(done.members),
        "numbers": numbers(done.numbers),
    }


def publish_two_tables(fields: Fields) -> Answer:
    """Answer the two tables of Anatomy."""
    codes, gamma = codes_of(fields), fields.integer("gamma")
    method, tape = fields.choice("method", *plans.METHODS), tape_of(fields)
    done = comparators.two_tables(codes, gamma, method, tape)
    told: Answer = {"rows": done.rows, "groups": done.groups, "values": done.values}
    return {**told, "suppressed": done.suppressed, "consumed": tape.consumed}


def publish_distribution_based(fields: Fields) -> Answer:
    """Answer a release of values drawn from the histogram."""
    codes, tape = codes_of(fields), tape_of(fields)
    published, rows = comparators.distribution_based(codes, tape)
    return {"published": published, "rows": rows, "consumed": tape.consumed}


def publish_counts(fields: Fields) -> Answer:
    """Answer counts with noise."""
    counts, budget, tape = fields.integers("counts"), fields.text("budget"), tape_of(fields)
    given = comparators.Budget(exact(budget.removeprefix("ln ")), budget.startswith("ln "))
    return {"counts": numbers(comparators.noisy_counts(counts, given, tape)), "consumed": tape.consumed}


# Tables


def table_of(fields: Fields) -> tables.Table:
    """Return the table of a request."""
    return tables.read_table(fields.text("name"), fields.octets("file"))


def read_table(fields: Fields) -> Answer:
    """Answer the cells of a table."""
    table = table_of(fields)
    fields.finish()
    return {"columns": table.columns, "rows": table.rows}


def column_codes(fields: Fields) -> Answer:
    """Answer the domain and the codes of a column."""
    table, column, missing = table_of(fields), fields.text("column"), fields.optional_text("missing")
    fields.finish()
    domain, codes = tables.codes(table.cells(column), missing)
    return {"domain": domain, "codes": codes}


def identities(fields: Fields) -> Answer:
    """Answer the identities of records."""
    table, id_column = table_of(fields), fields.optional_text("id_column")
    fields.finish()
    found = tables.identities(table, id_column)
    records = [tables.record_bytes(row).hex() for row in table.rows]
    return {"identities": [identity.hex() for identity in found], "records": records}


def table_digest(fields: Fields) -> Answer:
    """Answer the digest of a table."""
    table = table_of(fields)
    fields.finish()
    return {"digest": tables.digest(table)}


# Estimates and channels


def estimate(fields: Fields) -> Answer:
    """Answer an estimate."""
    if fields.choice("method", "mle", "exact") == "mle":
        published, gamma = fields.integer("published_count", 0, MOST), fields.integer("gamma", 2, 10**9)
        bound = fields.integer("bound") if fields.has("bound") else None
        fields.finish()
        return {"estimate": written(estimates.maximum_likelihood(published, bound))}
    rows, inside, published, both, gamma = counts_of(fields)
    fields.finish()
    return {"estimate": written(estimates.closed_form(rows, inside, published, both, gamma))}


def counts_of(fields: Fields) -> tuple[int, int, int, int, int]:
    """Return N, n, f', y and gamma."""
    rows, inside = fields.integer("rows", 1), fields.integer("predicate_count")
    published, both = fields.integer("published_count"), fields.integer("both_count")
    return rows, inside, published, both, fields.integer("gamma", 2)


def conjunction(fields: Fields) -> Answer:
    """Answer the estimate for a predicate, its variance and its interval."""
    rows, inside, published, both, gamma = counts_of(fields)
    kept = fields.optional_exact("retention")
    fields.finish()
    require(rows >= 2 and inside <= MOST, "there are too few rows, or too many")
    found = estimates.closed_form(rows, inside, published, both, gamma, kept)
    spread = estimates.variance(rows, inside, published, found, gamma, kept)
    ends = estimates.conjunction_interval(rows, inside, published, both, gamma, kept)
    return {"estimate": written(found), "variance": written(spread), "interval": ends}


def interval(fields: Fields) -> Answer:
    """Answer the interval of a count."""
    published, gamma = fields.integer("published_count", 0, MOST), fields.integer("gamma", 2, 10**9)
    confidence = fields.exact("confidence")
    fields.finish()
    return {"interval": estimates.interval(published, gamma, confidence)}


def transition(fields: Fields) -> Answer:
    """Answer a matrix of a release."""
    model, gamma = fields.choice("model", "two-state", "per-value"), fields.integer("gamma")
    kept = fields.optional_exact("retention")
    if model == "two-state":
        frequency, rows = fields.integer("frequency"), fields.integer("rows")
        fields.finish()
        found: list[list[Fraction] | None] = [*channels.two_state(frequency, rows, gamma, kept)]
    else:
        histogram, method = fields.integers("histogram", None), fields.choice("method", "anatomy", "cyclic")
        fields.finish()
        found = channels.per_value(histogram, gamma, method, kept)
    return {"matrix": [None if row is None else [written(entry) for entry in row] for row in found]}


def channel_inverse(fields: Fields) -> Answer:
    """Answer an inverse."""
    matrix = fields.matrix("matrix", 32)
    fields.finish()
    operators.require_laws(matrix)
    require(len(matrix) == len(matrix[0]), "the matrix is not square")
    dependent = channels.dependent_row(matrix)
    if dependent is not None:
        return {"inverse": None, "dependent": numbers(dependent)}
    found = [[written(entry) for entry in row] for row in channels.inverse(matrix)]
    return {"inverse": found, "dependent": None}


def amplification(fields: Fields) -> Answer:
    """Answer an amplification."""
    matrix = fields.matrix("matrix", 32)
    fields.finish()
    ratio, published, more, less = astuple(channels.amplification(matrix))
    told = None if ratio is None else written(ratio)
    return {"amplification": told, "published": published, "more": more, "less": less}


def breach_profile(fields: Fields) -> Answer:
    """Answer the largest posterior."""
    matrix, rho1, rho2 = fields.matrix("matrix", 32), fields.exact("rho1"), fields.exact("rho2")
    counts = fields.integers("counts") if fields.has("counts") else None
    fields.finish()
    require(0 < rho1 < rho2 < 1, "the levels are out of order")
    if counts is None:
        posterior = channels.posterior_of_any_prior(matrix, rho1)
        return {"posterior": written(posterior), "breach": posterior >= rho2}
    worst = channels.breach(matrix, counts, rho1)
    if worst is None:
        return {"posterior": None, "breach": False}
    told: Answer = {"posterior": written(worst.posterior), "breach": worst.posterior >= rho2}
    return {**told, "prior": written(worst.prior), "published": worst.published}


def bits(amount: entropy.Bits) -> dict[str, str]:
    """Return an entropy as it stands in an answer."""
    return {str(prime): written(share) for prime, share in amount.of_prime.items()}


def entropy_loss(fields: Fields) -> Answer:
    """Answer what a release costs in entropy."""
    tables_, matrix = fields.columns("tables"), fields.matrix("matrix", 256)
    prior = [exact(text) for text in fields.texts("prior")]
    fields.finish()
    found = entropy.losses(tables_, prior, matrix)
    outcomes = [
        outcome
        and {
            "probability": written(outcome.probability),
            "losses": [bits(loss) for loss in outcome.losses],
            "loss": bits(outcome.loss),
        }
        for outcome in found.outcomes
    ]
    return {
        "entropies": [bits(each) for each in found.entropies],
        "outcomes": outcomes,
        "expected": bits(found.expected),
        "worst": bits(found.worst),
        "mutual_information": {
            "records": [bits(each) for each in found.of_records],
            "table": bits(found.of_table),
        },
        "min_entropy_leakage": bits(found.min_entropy_leakage),
    }


def permanent_posterior(fields: Fields) -> Answer:
    """Answer who has which value of a group."""
    likelihoods = fields.matrix("likelihoods", 8)
    fields.finish()
    permanent, posterior = assignments.posterior(likelihoods)
    rows = None if posterior is None else [[written(entry) for entry in row] for row in posterior]
    return {"permanent": written(permanent), "posterior": rows}


# Promises


def error_probability(fields: Fields) -> Answer:
    """Answer an error probability."""
    gamma, epsilon, kept = (
        fields.integer("gamma", 2),
        fields.exact("epsilon"),
        fields.optional_exact("retention"),
    )
    frequency = fields.integer("frequency", 1)
    fields.finish()
    return {"probability": written(laws.error_probability(gamma, epsilon, frequency, kept))}


def privacy_minimum(fields: Fields) -> Answer:
    """Answer T_P."""
    gamma, epsilon, kept = (
        fields.integer("gamma", 2),
        fields.exact("epsilon"),
        fields.optional_exact("retention"),
    )
    alpha = fields.integer("alpha", 1)
    fields.finish()
    least, count = laws.privacy_minimum(gamma, epsilon, alpha, kept)
    defined, at = laws.privacy_minimum(gamma, epsilon, alpha, kept, strict=False)
    told: Answer = {"t_p": written(least), "argmin": count}
    return {**told, "t_p_definition": written(defined), "argmin_definition": at}


def utility_threshold(fields: Fields) -> Answer:
    """Answer T_f."""
    gamma, epsilon, kept = (
        fields.integer("gamma", 2),
        fields.exact("epsilon"),
        fields.optional_exact("retention"),
    )
    t_e = fields.exact("t_e")
    fields.finish()
    return {"threshold": laws.utility_threshold(gamma, epsilon, t_e, kept)}


def concept_error(fields: Fields) -> Answer:
    """Answer the error of the closed form for one predicate."""
    gamma, epsilon = fields.integer("gamma"), fields.exact("epsilon")
    names = ("rows", "sensitive_count", "predicate_count", "concept_count", "decoys_in_predicate")
    concept = estimates.Concept(*(fields.integer(name) for name in names))
    fields.finish()
    return {"probability": written(estimates.concept_error(gamma, epsilon, concept))}


def certificate(fields: Fields) -> Answer:
    """Answer the verdict on a certificate."""
    text = fields.text("text")
    fields.finish()
    return {"verdict": certificates.verdict(text)}


def manifest(fields: Fields) -> Answer:
    """Answer what a manifest says."""
    content = fields.octets("file")
    fields.finish()
    found = manifests.read_manifest(content)
    columns = [{"column": name, "domain": values} for name, values in found.sensitive]
    return {**vars(found), "facts": [list(fact) for fact in found.facts], "sensitive": columns}


OPERATIONS: Mapping[str, Callable[[Fields], Answer]] = {
    operation.__name__: operation
    for operation in (
        below,
        coins,
        permutation,
        order_within,
        subset,
        seeded,
        key_file,
        release_key,
        keyed,
        plan_secret,
        plan,
        publish,
        release,
        publish_keyed,
        publish_random,
        publish_retention,
        publish_retention_keyed,
        publish_swap,
        publish_operator,
        publish_pg,
        publish_alpha_beta,
        publish_two_tables,
        publish_distribution_based,
        publish_counts,
        read_table,
        column_codes,
        identities,
        table_digest,
        estimate,
        conjunction,
        interval,
        transition,
        channel_inverse,
        amplification,
        breach_profile,
        entropy_loss,
        permanent_posterior,
        error_probability,
        privacy_minimum,
        utility_threshold,
        concept_error,
        certificate,
        manifest,
    )
} | {
    "draws": draws_of_tape,
}


def answer(request: object) -> Answer:
    """Return the answer to a request."""
    if not isinstance(request, dict) or not isinstance(request.get("op"), str):
        return refused("malformed", "this is no request")
    fields = Fields(request)
    try:
        if request["op"] == "describe":
            fields.finish()
            return {"ops": list(OPERATIONS), "name": "splu-ref specification", "version": keys.SPECIFICATION}
        if request["op"] not in OPERATIONS:
            raise Unsupported("the operation is not known")
        return OPERATIONS[request["op"]](fields)
    except Unsupported as error:
        return refused("unsupported", str(error))
    except Refused as error:
        return refused("parameter", str(error))
    except TapeExhausted as error:
        return refused("tape_exhausted", str(error))


def refused(kind: str, message: str) -> Answer:
    """Return the answer to a request that has none."""
    return {"error": {"kind": kind, "message": message}}


def no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are no JSON."""
    raise ValueError(name)


def answer_line(line: bytes) -> bytes:
    """Return the line that answers a line."""
    try:
        request = json.loads(line.decode(), parse_constant=no_constant)
    except (ValueError, RecursionError):
        request = None
    given = answer(request)
    if isinstance(request, dict) and "id" in request:
        given["id"] = request["id"]
    return json.dumps(given).encode() + b"\n"


def main() -> None:
    """Answer standard input line by line."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer_line(line))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
