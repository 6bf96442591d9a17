"""The conformance protocol: a program that answers one JSON object a line.

A request is a JSON object with the operation ``op``, its fields, and optionally an ``id``, which the answer
may repeat. The fields and their forms are those of `splu_ref.spec.requests`. The answer has the keys that
follow the arrow in the description of the operation; keys in parentheses are optional, but must be right
where they are present. A refused request is answered ``{"error": {"kind": …}}`` with a kind of
`splu_ref.spec.errors`, and a free ``message``.

A *tape* is the whole stream from which an operation draws, and ``consumed`` is the number of bytes that it
read. A *code* is an integer of at least 0. ``gamma`` is at least 2. ``method`` is a plan method.

A program may refuse what is larger than these limits (``parameter``). This one does so before it computes
anything, and no vector that has an answer is larger:

- ``size``, ``block``, the sum of a ``histogram``, and codes of a release: 1,000,000;
- ``population``, and bounds of integers that follow from probabilities: 2^63;
- ``count`` of ``subset``, and ``times``: 10,000;
- ``published_count`` of ``mle`` and ``interval``, and ``predicate_count`` of ``conjunction``: 10^6;
  ``gamma`` of the first two: 10^9;
- rows and columns of a ``matrix``: 32, of ``entropy_loss`` 256, of likelihoods 8;
- γ f of ``error_probability``, and γ f′ of ``interval``, f′ counted as 4 at least: 20,000; γ α of
  ``privacy_minimum`` and γ v/(ε² T_E) of ``utility_threshold``: 2,000; with a ``retention``, a fourth of
  each;
- digits of an answer: 4300.

The last but one bounds the outcomes that this program sums; the library answers more. What is beyond a
limit that stands elsewhere, in the rules of an operation or of a field, must be refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import astuple
from fractions import Fraction
from math import inf
from typing import NoReturn

from splu_ref.spec import (
    alpha_beta,
    certificates,
    channels,
    distribution_based,
    draws,
    entropy,
    estimates,
    groups,
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
from splu_ref.spec.requests import Fields, Json, exact, number, numbers, written
from splu_ref.spec.splu_gen import OneStream

Answer = dict[str, Json]

MOST = 1_000_000
"""Items of one request, and the largest code of a release."""
MOST_MEMBERS = 10_000
"""Members of a subset, and releases at random, of one request."""
LARGEST_GAMMA = 10**9
"""For which the count of a value is estimated."""
MOST_STATES, MOST_TABLES, MOST_RECORDS = 32, 256, 8
"""Rows and columns of a matrix: of a channel, of a release of tables, of the likelihoods of a group."""

MOST_TRIALS = 20_000
"""Trials of a published count whose outcomes are all summed: γ f."""
LEAST_COUNT = 4
"""Of an interval also counts above the published one are summed: a smaller one takes as long."""
MOST_SEARCHED = 2_000
"""Trials of the largest count of a search through counts."""

ORDERS = ("kept", "shuffled")


def tape_of(fields: Fields) -> Tape:
    """Return the tape of a request, which is the last field that is taken."""
    tape = Tape(fields.octets("tape"))
    fields.finish()
    return tape


def gamma_of(fields: Fields) -> int:
    """Return the group size."""
    return fields.integer("gamma", 2)


# Bytes


def below(fields: Fields) -> Answer:
    """Draw integers: ``bound`` (at least 1), ``size``, ``tape`` → ``result``; ``consumed``."""
    bound, size = fields.integer("bound", 1), fields.integer("size", 0, MOST)
    tape = tape_of(fields)
    return {"result": numbers(randomness.integers_below(tape, bound, size)), "consumed": tape.consumed}


def coins(fields: Fields) -> Answer:
    """Draw coins: ``size``, ``tape`` → ``result``: coins, 0 or 1; ``consumed``."""
    size, tape = fields.integer("size", 0, MOST), tape_of(fields)
    return {"result": randomness.coins(tape, size), "consumed": tape.consumed}


def permutation(fields: Fields) -> Answer:
    """Draw an order: ``size``, ``tape`` → ``result``: the order; ``consumed``."""
    size, tape = fields.integer("size", 0, MOST), tape_of(fields)
    return {"result": randomness.permutation(tape, size), "consumed": tape.consumed}


def order_within(fields: Fields) -> Answer:
    """Draw an order within codes: ``codes``, ``tape`` → ``result``: the items by code; ``consumed``."""
    codes, tape = fields.integers("codes", 0), tape_of(fields)
    return {"result": randomness.order_within(tape, codes), "consumed": tape.consumed}


def subset(fields: Fields) -> Answer:
    """Draw a subset: ``population``, ``count``, ``tape`` → ``result``: ascending; ``consumed``."""
    population, count = fields.integer("population", 0, 2**63), fields.integer("count", 0, MOST_MEMBERS)
    tape = tape_of(fields)
    return {"result": numbers(randomness.subset(tape, population, count)), "consumed": tape.consumed}


def seeded(fields: Fields) -> Answer:
    """Read a seeded stream: ``seed`` (bytes), ``size`` → ``bytes``: the first so many."""
    seed, size = fields.octets("seed"), fields.integer("size", 0, MOST)
    fields.finish()
    return {"bytes": randomness.seeded(seed).read(size).hex()}


def key_file(fields: Fields) -> Answer:
    """Read a key file: ``file`` (all its bytes) → ``key`` (bytes)."""
    content = fields.octets("file")
    fields.finish()
    return {"key": keys.parse_key_file(content).hex()}


def context_of(
    fields: Fields, mechanism: str, facts: list[tuple[str, str]], law: str, sensitive: list[str]
) -> keys.Release:
    """Take ``columns``, ``records``, and the optional ``id_column`` and ``missing``."""
    id_column, missing = fields.optional_text("id_column"), fields.optional_text("missing")
    columns, records = fields.texts("columns"), fields.octet_lists("records")
    return keys.Release(mechanism, facts, law, sensitive, id_column, missing, columns, records)


def release_key(fields: Fields) -> Answer:
    """Compute the key of a release → ``table`` (its keyed digest), ``message``, ``release_key``.

    Fields: ``key``, ``mechanism``, ``facts``, ``sensitive``, ``columns``, ``records``. ``facts`` is a list
    of pairs of texts, name and value, with no name twice; ``sensitive`` and ``columns`` are names of
    columns; ``records`` is the bytes of each record's cells. Optional: ``id_column``, ``missing``. The law
    of the draws in the message is the value of the fact ``draws``, whatever it is, and ``independent``
    without one. The answers are bytes.
    """
    key, mechanism = keys.secret_key(fields.octets("key")), fields.text("mechanism")
    facts, sensitive = fields.pairs("facts"), fields.texts("sensitive")
    release = context_of(fields, mechanism, facts, dict(facts).get("draws", "independent"), sensitive)
    fields.finish()
    digest = keys.keyed_table_digest(key, release.records)
    return {
        "table": digest.hex(),
        "message": release.message(key).hex(),
        "release_key": release.key(key).hex(),
    }


def keyed(fields: Fields) -> Answer:
    """Make the choices of a keyed source.

    Fields: ``release_key``, ``column``, ``identities``, ``codes``, ``bound``, ``remainder``. The answer has
    ``order_within`` of the codes, ``permutation``, ``subset`` (a remainder of so many records) and ``below``
    (each record's integer below ``bound``). ``codes`` and ``identities`` (bytes) have one entry for each
    record. The release key is refused where a secret key is (`splu_ref.spec.keys.secret_key`).
    """
    key, column = keys.secret_key(fields.octets("release_key")), fields.text("column")
    source = keys.KeyedRecords(key, column, fields.octet_lists("identities"))
    codes, bound = fields.integers("codes", 0), fields.integer("bound", 1)
    remainder = fields.integer("remainder", 0)
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
    """Read the stream of a plan's block: ``release_key``, ``column``, ``block``, ``size`` → ``bytes``."""
    source = keys.KeyedRecords(keys.secret_key(fields.octets("release_key")), fields.text("column"), [])
    block, size = fields.integer("block", 0, MOST), fields.integer("size", 0, MOST)
    fields.finish()
    return {"bytes": source.plan_stream(block).read(size).hex()}


# Publishing


def plan(fields: Fields) -> Answer:
    """Make a plan: ``histogram``, ``gamma``, ``method`` → ``groups``.

    ``mixed`` has a further field, ``tape``, and a further answer, ``consumed``; for one block also
    (``passes``): the groups after each pass.
    """
    histogram, gamma = fields.integers("histogram"), gamma_of(fields)
    method = fields.choice("method", plans.METHODS)
    tape = Tape(fields.octets("tape") if method == "mixed" else b"")
    fields.finish()
    require(len(histogram) > 0, "the histogram has no value")
    require(sum(map(abs, histogram)) <= MOST, "the histogram has too many records")
    plans.require_feasible(histogram, gamma)
    if method != "mixed":
        blocks = plans.plan(method, histogram, gamma, lambda _: tape)
        return {"groups": [group for block in blocks for group in block]}
    cyclic = plans.blocks_of(plans.cyclic(histogram, gamma))
    passes = [list(plans.passes_over(block, tape)) for block in cyclic]
    answer: Answer = {"groups": [group for of_block in passes for group in of_block[-1]]}
    answer["consumed"] = tape.consumed
    return answer if len(cyclic) > 1 else {**answer, "passes": passes[0][1:]}


def codes_of(fields: Fields) -> list[int]:
    """Return the codes of a release of one column: there is a record, and no code is above the limit."""
    codes = fields.integers("sensitive", 0)
    require(len(codes) > 0, "sensitive has no record")
    require(max(codes) <= MOST, "sensitive has a code that is too large")
    return codes


def parameters_of(fields: Fields) -> splu_gen.Parameters:
    """Return the parameters of SPLU-Gen: ``gamma``, ``method``, optional ``retention`` and ``draws``."""
    gamma, method = gamma_of(fields), fields.choice("method", plans.METHODS)
    retention_probability = fields.optional_exact("retention")
    text = fields.text("draws") if fields.has("draws") else "independent"
    return splu_gen.Parameters(gamma, method, retention_probability, draws.Law.of(text))


def draws_of_tape(fields: Fields) -> Answer:
    """Draw values: ``gamma``, ``size``, ``tape``, optional ``retention`` → ``result``, ``consumed``."""
    gamma, probability = gamma_of(fields), fields.optional_exact("retention")
    rule = draws.Rule.of(gamma, Fraction(1, gamma) if probability is None else probability)
    size, tape = fields.integer("size", 0, MOST), tape_of(fields)
    drawn = [rule.draw(integer) for integer in randomness.integers_below(tape, rule.bound, size)]
    return {"result": numbers(drawn), "consumed": tape.consumed}


def publish(fields: Fields) -> Answer:
    """Publish one column from a tape → ``published``: codes by row; ``consumed``.

    Fields: ``sensitive`` (codes), the parameters of SPLU-Gen, ``tape``. The parameters are ``gamma``,
    ``method`` and the optional ``retention`` (0 < p ≤ 1; without it 1/γ) and ``draws`` (``independent``,
    ``capped:M`` or ``all-or-none:A``). Also (``suppressed``: the deleted records; and of those left
    ``groups``: the plan; ``order``: the records within their values; ``integers`` of independent draws, or
    ``marked`` and ``shown`` of dependent ones; ``rows``: the original record at each row).
    """
    codes, parameters, tape = codes_of(fields), parameters_of(fields), tape_of(fields)
    release = splu_gen.publish([codes], parameters, lambda _: OneStream(tape))
    column = release.columns[0]
    drawn: Answer = {"integers": numbers(column.integers)}
    if parameters.law != draws.INDEPENDENT:
        drawn = {"marked": column.marked, "shown": column.shown}
    return {
        "published": release.published[0],
        "consumed": tape.consumed,
        "groups": column.groups,
        "order": column.order,
        **drawn,
        "rows": release.rows,
        "suppressed": release.suppressed,
    }


def release_columns(fields: Fields) -> Answer:
    """Publish several columns → ``published``, ``rows``, ``suppressed``, ``consumed``.

    The fields are those of ``publish``, with a list of codes for each column as ``sensitive``.
    """
    columns, parameters, tape = fields.columns("sensitive"), parameters_of(fields), tape_of(fields)
    require(len(columns[0]) > 0, "sensitive has no record")
    require(max(map(max, columns)) <= MOST, "sensitive has a code that is too large")
    release = splu_gen.publish(columns, parameters, lambda _: OneStream(tape))
    answer: Answer = {"published": release.published, "rows": release.rows}
    return {**answer, "suppressed": release.suppressed, "consumed": tape.consumed}


def publish_keyed(fields: Fields) -> Answer:
    """Publish one column with a key → ``published``, ``rows``, ``suppressed``.

    Fields: ``sensitive`` (codes), the parameters of SPLU-Gen, ``key``, ``column`` (its name), ``columns``,
    ``records``, ``identities`` (bytes of each record), and the optional ``id_column`` and ``missing`` (see
    ``release_key``).
    """
    codes, parameters = codes_of(fields), parameters_of(fields)
    key, column = keys.secret_key(fields.octets("key")), fields.text("column")
    context = context_of(fields, "SPLU-Gen", parameters.facts(), parameters.law.text, [column])
    identities = fields.octet_lists("identities")
    fields.finish()
    same = len(context.records) == len(identities) == len(codes)
    require(same, "records, identities and sensitive differ in length")
    source = keys.KeyedRecords(context.key(key), column, identities)
    release = splu_gen.publish([codes], parameters, lambda _: source)
    return {"published": release.published[0], "rows": release.rows, "suppressed": release.suppressed}


def publish_random(fields: Fields) -> Answer:
    """Publish ``times`` independent releases → ``published``: a list for each; (``rows``, likewise).

    Further fields: ``sensitive`` (codes) and the parameters of SPLU-Gen. Releases are drawn from the
    system's entropy, with every law of draws. (A runner tests those of independent draws.)
    """
    codes, parameters = codes_of(fields), parameters_of(fields)
    times = fields.integer("times", 1, MOST_MEMBERS)
    fields.finish()
    source = OneStream(randomness.SystemStream())
    releases = [splu_gen.publish([codes], parameters, lambda _: source) for _ in range(times)]
    published = [release.published[0] for release in releases]
    return {"published": published, "rows": [release.rows for release in releases]}


def declared_columns(fields: Fields, *, with_laws: bool = False) -> list[retention.DeclaredColumn]:
    """Take ``sensitive``: an object for each column, in the order of publishing, no name twice.

    An object has ``column`` (a name), ``domain`` (texts in any order), ``cells`` (a text for each record)
    and, with replacement laws, ``law`` (an exact number for each value of the domain), and no other key.
    """
    columns = []
    for column in fields.objects("sensitive"):
        name, domain, cells = column.text("column"), column.texts("domain"), column.texts("cells")
        law = column.exacts("law") if with_laws else None
        column.finish()
        columns.append(retention.DeclaredColumn(name, domain, cells, law))
    require(len({column.name for column in columns}) == len(columns), "sensitive names a column twice")
    return columns


def retention_of(fields: Fields) -> tuple[list[retention.DeclaredColumn], retention.Parameters]:
    """Take the columns and the parameters of retention replacement."""
    probability = fields.exact("retention")
    replacing = fields.choice("replacing", ("uniform", "given", "identity"))
    order = fields.choice("order", ORDERS)
    unit = fields.choice("unit", ("cell", "record")) if fields.has("unit") else "cell"
    columns = declared_columns(fields, with_laws=replacing == "given")
    return columns, retention.Parameters(probability, replacing, order, unit)


def publish_retention(fields: Fields) -> Answer:
    """Publish by retention replacement → ``published``: cells by column; ``facts``; ``consumed``.

    Also (``rows``: the original record at each row; ``integers`` of each column, by record). Fields:
    ``retention`` (0 ≤ p < 1), ``replacing`` (``uniform``, ``given`` or ``identity``), ``order`` (``kept`` or
    ``shuffled``), ``sensitive`` (declared columns, with a ``law`` each for ``given``), ``tape``, and the
    optional ``unit`` (``cell`` or ``record``).
    """
    columns, parameters = retention_of(fields)
    tape = tape_of(fields)
    release = retention.publish(columns, parameters, lambda _: OneStream(tape))
    return {
        "published": release.published,
        "facts": parameters.facts(columns),
        "consumed": tape.consumed,
        "rows": release.rows,
        "integers": [numbers(integers) for integers in release.integers],
    }


def publish_retention_keyed(fields: Fields) -> Answer:
    """Publish by retention replacement with a key → ``published``, ``facts``; (``rows``).

    The fields are those of ``publish_retention`` without the tape. Further fields: ``key``, ``columns``,
    ``records``, ``identities``, and the optional ``id_column`` and ``missing``.
    """
    columns, parameters = retention_of(fields)
    key, names = keys.secret_key(fields.octets("key")), [column.name for column in columns]
    facts = parameters.facts(columns)
    context = context_of(fields, "retention replacement", facts, "independent", names)
    identities = fields.octet_lists("identities")
    fields.finish()
    same = all(len(column.cells) == len(identities) == len(context.records) for column in columns)
    require(same, "records, identities and cells differ in length")
    key_of_release = context.key(key)
    release = retention.publish(
        columns, parameters, lambda number: keys.KeyedRecords(key_of_release, names[number], identities)
    )
    return {"published": release.published, "facts": facts, "rows": release.rows}


def publish_swap(fields: Fields) -> Answer:
    """Publish by swapping → ``published``: codes by column; ``consumed``.

    Fields: ``sensitive`` (a list of codes for each column), ``retention`` (0 ≤ p < 1), ``tape``. Also (by
    column ``cells``: the released records in their order; ``places``: to whose place each cell moves).
    """
    columns, probability, tape = fields.columns("sensitive"), fields.exact("retention"), tape_of(fields)
    released = swapping.publish(columns, probability, lambda _: OneStream(tape))
    return {
        "published": [column.published for column in released],
        "consumed": tape.consumed,
        "cells": [column.cells for column in released],
        "places": [column.places for column in released],
    }


def publish_operator(fields: Fields) -> Answer:
    """Publish by a matrix → ``published``, ``consumed``; (``rows``; ``integers`` by record).

    Fields: ``sensitive`` (codes), ``matrix``, ``order`` (``kept`` or ``shuffled``), ``tape``.
    """
    codes, matrix = fields.integers("sensitive", 0), fields.matrix("matrix", MOST_STATES)
    order, tape = fields.choice("order", ORDERS), tape_of(fields)
    release = operators.publish(codes, matrix, order, OneStream(tape))
    answer: Answer = {"published": release.published, "consumed": tape.consumed}
    return {**answer, "rows": release.rows, "integers": numbers(release.integers)}


def publish_pg(fields: Fields) -> Answer:
    """Publish by perturbed generalization → ``published``, ``ranges``, ``sizes`` by group; ``consumed``.

    Fields: ``sensitive`` (codes), ``quasi`` (a list of integers of at least 0 for each generalized column),
    ``least`` (k), ``values`` (m, from 2 to 1000), ``retention`` (0 < p < 1), ``tape``. Also (``groups``: the
    group of each record; by group ``rows``: the chosen record, and ``integers``).
    """
    codes, quasi = codes_of(fields), fields.columns("quasi")
    least, values = fields.integer("least", 1), fields.integer("values", 2, 1000)
    probability, tape = fields.exact("retention"), tape_of(fields)
    release = groups.perturbed_generalization(codes, quasi, least, values, probability, tape)
    group_of = {record: group for group, members in enumerate(release.groups) for record in members}
    return {
        "published": release.published,
        "ranges": release.ranges,
        "sizes": [len(members) for members in release.groups],
        "consumed": tape.consumed,
        "groups": [group_of[record] for record in range(len(codes))],
        "rows": release.chosen,
        "integers": numbers(release.integers),
    }


def publish_alpha_beta(fields: Fields) -> Answer:
    """Publish by the alpha-beta algorithm.

    Fields: ``sensitive`` (declared columns in any order), ``alpha``, ``beta``, ``tape``. The answer has
    ``columns`` (names, ascending), ``published`` (the cells of each tuple), ``consumed``, and (``members``:
    the numbers of the table's tuples, ascending; ``numbers``: those of the published tuples).
    """
    columns, alpha, beta = declared_columns(fields), fields.exact("alpha"), fields.exact("beta")
    tape = tape_of(fields)
    release = alpha_beta.publish(columns, alpha, beta, tape)
    return {
        "columns": release.columns,
        "published": release.published,
        "consumed": tape.consumed,
        "members": numbers(release.members),
        "numbers": numbers(release.numbers),
    }


def publish_two_tables(fields: Fields) -> Answer:
    """Publish two tables → ``rows``, ``groups``, ``values``, ``suppressed``, ``consumed``.

    Fields: ``sensitive`` (codes), ``gamma``, ``method``, ``tape``.
    """
    codes, gamma = codes_of(fields), gamma_of(fields)
    method, tape = fields.choice("method", plans.METHODS), tape_of(fields)
    release = groups.two_tables(codes, gamma, method, tape)
    answer: Answer = {"rows": release.rows, "groups": release.groups, "values": release.values}
    return {**answer, "suppressed": release.suppressed, "consumed": tape.consumed}


def publish_distribution_based(fields: Fields) -> Answer:
    """Publish from the histogram: ``sensitive``, ``tape`` → ``published``, ``rows``, ``consumed``."""
    codes, tape = codes_of(fields), tape_of(fields)
    published, rows = distribution_based.publish(codes, tape)
    return {"published": published, "rows": rows, "consumed": tape.consumed}


def publish_counts(fields: Fields) -> Answer:
    """Add noise to counts: ``counts``, ``budget``, ``tape`` → ``counts``: with noise; ``consumed``.

    Counts are integers of at least 0. The budget is an exact number above 0, or ``ln x`` with one above 1.
    """
    counts, text, tape = fields.integers("counts", 0), fields.text("budget"), tape_of(fields)
    budget = distribution_based.Budget(exact(text.removeprefix("ln "), "budget"), text.startswith("ln "))
    return {
        "counts": numbers(distribution_based.noisy_counts(counts, budget, tape)),
        "consumed": tape.consumed,
    }


# Tables


def table_of(fields: Fields) -> tables.Table:
    """Return the table of the fields ``name`` (of a file) and ``file`` (its bytes)."""
    return tables.read_table(fields.text("name"), fields.octets("file"))


def read_table(fields: Fields) -> Answer:
    """Read a table: ``name``, ``file`` → ``columns``: the names; ``rows``: the cells of each row."""
    table = table_of(fields)
    fields.finish()
    return {"columns": table.columns, "rows": table.rows}


def column_codes(fields: Fields) -> Answer:
    """Encode a column: ``name``, ``file``, ``column``, optional ``missing`` → ``domain``, ``codes``."""
    missing, column, table = fields.optional_text("missing"), fields.text("column"), table_of(fields)
    fields.finish()
    domain, codes = tables.codes(table.cells(column), missing)
    return {"codes": codes, "domain": domain}


def identities(fields: Fields) -> Answer:
    """Identify records: ``name``, ``file``, optional ``id_column`` → ``identities``, ``records`` (bytes)."""
    id_column, table = fields.optional_text("id_column"), table_of(fields)
    fields.finish()
    result = tables.identities(table, id_column)
    records = [tables.record_bytes(row).hex() for row in table.rows]
    return {"identities": [identity.hex() for identity in result], "records": records}


def table_digest(fields: Fields) -> Answer:
    """Compute a digest: ``name``, ``file`` → ``digest``: that of the table's content."""
    table = table_of(fields)
    fields.finish()
    return {"digest": tables.digest(table)}


# Estimates and channels


def estimate(fields: Fields) -> Answer:
    """Estimate a count → ``estimate``, an exact number.

    With the ``method`` ``mle``: ``published_count``, ``gamma``, optional ``bound``. With ``exact``:
    ``both_count``, ``published_count``, ``predicate_count``, ``rows``, ``gamma``.
    """
    if fields.choice("method", ("mle", "exact")) == "mle":
        published, _ = published_count_of(fields)
        bound = fields.integer("bound", 0) if fields.has("bound") else None
        fields.finish()
        return {"estimate": written(estimates.maximum_likelihood(published, bound))}
    both, published = fields.integer("both_count", 0), fields.integer("published_count", 0)
    inside, rows = fields.integer("predicate_count", 0), fields.integer("rows", 1)
    gamma = gamma_of(fields)
    fields.finish()
    return {"estimate": written(estimates.closed_form(rows, inside, published, both, gamma))}


def published_count_of(fields: Fields) -> tuple[int, int]:
    """Return a published count and γ, within what is estimated."""
    return fields.integer("published_count", 0, MOST), fields.integer("gamma", 2, LARGEST_GAMMA)


def conjunction(fields: Fields) -> Answer:
    """Estimate a conjunction → ``estimate``, ``variance``, ``interval``: its two ends.

    Fields: the counts of ``estimate`` with ``exact``, ``gamma``, and the optional ``retention``. There are
    at least two ``rows``. The variance is that at the estimate.
    """
    gamma, probability = gamma_of(fields), fields.optional_exact("retention")
    both, published = fields.integer("both_count", 0), fields.integer("published_count", 0)
    inside, rows = fields.integer("predicate_count", 0, MOST), fields.integer("rows", 2)
    fields.finish()
    result = estimates.closed_form(rows, inside, published, both, gamma, probability)
    squared = estimates.variance(rows, inside, published, result, gamma, probability)
    ends = estimates.conjunction_interval(rows, inside, published, both, gamma, probability)
    return {"estimate": written(result), "variance": written(squared), "interval": ends}


def interval(fields: Fields) -> Answer:
    """Bound a count: ``published_count``, ``gamma``, ``confidence`` → ``interval``: its two ends."""
    published, gamma = published_count_of(fields)
    confidence = fields.exact("confidence")
    fields.finish()
    require_small(gamma * max(published, LEAST_COUNT), MOST_TRIALS)
    return {"interval": estimates.interval(published, gamma, confidence)}


def transition(fields: Fields) -> Answer:
    """Compute the channel of a release → ``matrix``, of exact numbers.

    With the ``model`` ``two-state``: ``gamma``, ``rows``, ``frequency``, optional ``retention``. With
    ``per-value``: ``histogram``, ``gamma``, ``method`` (``anatomy`` or ``cyclic``), optional ``retention``;
    the row of a value without records is null.
    """
    if fields.choice("model", ("two-state", "per-value")) == "two-state":
        gamma, rows, frequency = gamma_of(fields), fields.integer("rows", 2), fields.integer("frequency", 1)
        probability = fields.optional_exact("retention")
        fields.finish()
        result: list[list[Fraction] | None] = [*channels.two_state(frequency, rows, gamma, probability)]
    else:
        histogram, gamma = fields.integers("histogram"), gamma_of(fields)
        method, probability = fields.choice("method", plans.METHODS[:2]), fields.optional_exact("retention")
        fields.finish()
        result = channels.per_value(histogram, gamma, method, probability)
    return {"matrix": [None if row is None else [written(entry) for entry in row] for row in result]}


def channel_inverse(fields: Fields) -> Answer:
    """Invert a channel: ``matrix`` (square) → ``inverse`` and ``dependent``; one of the two is null."""
    matrix = fields.matrix("matrix", MOST_STATES)
    fields.finish()
    operators.require_laws(matrix)
    require(len(matrix) == len(matrix[0]), "the matrix is not square")
    dependent = channels.dependent_row(matrix)
    if dependent is not None:
        return {"inverse": None, "dependent": numbers(dependent)}
    result = [[written(entry) for entry in row] for row in channels.inverse(matrix)]
    return {"inverse": result, "dependent": None}


def amplification(fields: Fields) -> Answer:
    """Compute the amplification: ``matrix`` → ``amplification``, null if it is infinite.

    Also (``published``, ``more``, ``less``: see `splu_ref.spec.channels.Amplification`).
    """
    matrix = fields.matrix("matrix", MOST_STATES)
    fields.finish()
    ratio, published, more, less = astuple(channels.amplification(matrix))
    result = None if ratio is None else written(ratio)
    return {"amplification": result, "published": published, "more": more, "less": less}


def breach_profile(fields: Fields) -> Answer:
    """Find the largest posterior → ``posterior``, ``breach``.

    Fields: ``matrix``, ``rho1``, ``rho2`` (0 < ρ₁ < ρ₂ < 1), optional ``counts``. ``breach`` is whether the
    posterior is ρ₂ or more. With ``counts`` also (``prior``, ``published``), and a posterior of null,
    without these, if there is none.
    """
    matrix, rho1, rho2 = fields.matrix("matrix", MOST_STATES), fields.exact("rho1"), fields.exact("rho2")
    counts = fields.integers("counts", 0) if fields.has("counts") else None
    fields.finish()
    require(0 < rho1 < rho2 < 1, "rho1 and rho2 are out of order, or not between 0 and 1")
    if counts is None:
        posterior = channels.posterior_of_any_prior(matrix, rho1)
        return {"posterior": written(posterior), "breach": posterior >= rho2}
    worst = channels.breach(matrix, counts, rho1)
    if worst is None:
        return {"posterior": None, "breach": False}
    answer: Answer = {"posterior": written(worst.posterior), "breach": worst.posterior >= rho2}
    return {**answer, "prior": written(worst.prior), "published": worst.published}


def bits(amount: entropy.Bits) -> dict[str, str]:
    """Return an entropy as it is written in an answer: an object of the exact coefficient of each prime."""
    return {str(prime): written(share) for prime, share in amount.of_prime.items()}


def entropy_loss(fields: Fields) -> Answer:
    """Compute privacy loss in entropy.

    Fields: ``tables`` (lists of codes), ``prior``, ``matrix`` (see `splu_ref.spec.entropy.losses`). The
    answer has ``entropies``; ``outcomes``, objects with ``probability``, ``losses`` and ``loss``, or null;
    ``expected``; ``worst``; ``mutual_information``, an object with ``records`` and ``table``;
    ``min_entropy_leakage``.
    """
    of_world, prior = fields.columns("tables"), fields.exacts("prior")
    matrix = fields.matrix("matrix", MOST_TABLES)
    fields.finish()
    result = entropy.losses(of_world, prior, matrix)
    outcomes: list[Json] = [None] * len(result.outcomes)
    for state, outcome in enumerate(result.outcomes):
        if outcome is not None:
            outcomes[state] = {
                "probability": written(outcome.probability),
                "losses": [bits(loss) for loss in outcome.losses],
                "loss": bits(outcome.loss),
            }
    return {
        "entropies": [bits(each) for each in result.entropies],
        "outcomes": outcomes,
        "expected": bits(result.expected),
        "worst": bits(result.worst),
        "mutual_information": {
            "records": [bits(each) for each in result.of_records],
            "table": bits(result.of_table),
        },
        "min_entropy_leakage": bits(result.min_entropy_leakage),
    }


def permanent_posterior(fields: Fields) -> Answer:
    """Weigh assignments: ``likelihoods`` → ``permanent``; ``posterior``: rows, null for a permanent of 0."""
    likelihoods = fields.matrix("likelihoods", MOST_RECORDS)
    fields.finish()
    permanent, posterior = groups.assignment_posterior(likelihoods)
    rows = None if posterior is None else [[written(entry) for entry in row] for row in posterior]
    return {"permanent": written(permanent), "posterior": rows}


# Guarantees


def require_small(trials: Fraction | int, most: int, retention_probability: Fraction | None = None) -> None:
    """Refuse what is too large to sum over all outcomes; with a retention, a fourth of it is."""
    limit = most if retention_probability is None else most // 4
    require(trials <= limit, f"gamma times the count is above {limit}: the library answers larger ones")


def error_probability(fields: Fields) -> Answer:
    """Find an error: ``gamma``, ``epsilon``, ``frequency``, optional ``retention`` → ``probability`` (≥)."""
    gamma, epsilon, frequency = gamma_of(fields), fields.exact("epsilon"), fields.integer("frequency", 1)
    probability = fields.optional_exact("retention")
    fields.finish()
    require_small(gamma * frequency, MOST_TRIALS, probability)
    return {"probability": written(laws.error_probability(gamma, epsilon, frequency, probability))}


def privacy_minimum(fields: Fields) -> Answer:
    """Compute T_P: ``gamma``, ``epsilon``, ``alpha``, optional ``retention`` → ``t_p`` (with >).

    Also (``argmin``: the least count that has it; ``t_p_definition`` and ``argmin_definition``: the same
    with ≥).
    """
    gamma, epsilon, alpha = gamma_of(fields), fields.exact("epsilon"), fields.integer("alpha", 1)
    probability = fields.optional_exact("retention")
    fields.finish()
    require_small(gamma * alpha, MOST_SEARCHED, probability)
    least, count = laws.privacy_minimum(gamma, epsilon, alpha, probability)
    defined, at = laws.privacy_minimum(gamma, epsilon, alpha, probability, strict=False)
    answer: Answer = {"t_p": written(least), "argmin": count}
    return {**answer, "t_p_definition": written(defined), "argmin_definition": at}


def utility_threshold(fields: Fields) -> Answer:
    """Compute T_f: ``gamma``, ``epsilon``, ``t_e``, optional ``retention`` → ``threshold``."""
    gamma, epsilon, t_e = gamma_of(fields), fields.exact("epsilon"), fields.exact("t_e")
    probability = fields.optional_exact("retention")
    fields.finish()
    if epsilon > 0 and t_e > 0 and probability != 1 and epsilon <= max(1, gamma - 1):
        last = laws.variance_of_one(gamma, probability) / (epsilon**2 * t_e)
        require_small(gamma * last, MOST_SEARCHED, probability)
    return {"threshold": number(laws.utility_threshold(gamma, epsilon, t_e, probability))}


def concept_error(fields: Fields) -> Answer:
    """Compute the error of the closed form → ``probability``.

    Fields: ``gamma``, ``epsilon``, and the counts of `splu_ref.spec.estimates.Concept` by their names.
    """
    gamma, epsilon = gamma_of(fields), fields.exact("epsilon")
    names = ("rows", "sensitive_count", "predicate_count", "concept_count", "decoys_in_predicate")
    concept = estimates.Concept(*(fields.integer(name, 0) for name in names))
    fields.finish()
    return {"probability": written(estimates.concept_error(gamma, epsilon, concept))}


def certificate(fields: Fields) -> Answer:
    """Check a certificate: ``text`` → ``verdict``: ``valid``, ``false`` or ``unreadable``."""
    text = fields.text("text")
    fields.finish()
    return {"verdict": certificates.verdict(text)}


def manifest(fields: Fields) -> Answer:
    """Read a manifest: ``file`` (hexadecimal) → what `splu_ref.spec.manifests.read_manifest` returns."""
    content = fields.octets("file")
    fields.finish()
    result = manifests.read_manifest(content)
    columns: list[Json] = [{"column": name, "domain": [*values]} for name, values in result.sensitive]
    return {**vars(result), "sensitive": columns}


OPERATIONS: Mapping[str, Callable[[Fields], Answer]] = {
    "below": below,
    "coins": coins,
    "permutation": permutation,
    "order_within": order_within,
    "subset": subset,
    "seeded": seeded,
    "key_file": key_file,
    "release_key": release_key,
    "keyed": keyed,
    "plan_secret": plan_secret,
    "plan": plan,
    "draws": draws_of_tape,
    "publish": publish,
    "release": release_columns,
    "publish_keyed": publish_keyed,
    "publish_random": publish_random,
    "publish_retention": publish_retention,
    "publish_retention_keyed": publish_retention_keyed,
    "publish_swap": publish_swap,
    "publish_operator": publish_operator,
    "publish_pg": publish_pg,
    "publish_alpha_beta": publish_alpha_beta,
    "publish_two_tables": publish_two_tables,
    "publish_distribution_based": publish_distribution_based,
    "publish_counts": publish_counts,
    "read_table": read_table,
    "column_codes": column_codes,
    "identities": identities,
    "table_digest": table_digest,
    "estimate": estimate,
    "conjunction": conjunction,
    "interval": interval,
    "transition": transition,
    "channel_inverse": channel_inverse,
    "amplification": amplification,
    "breach_profile": breach_profile,
    "entropy_loss": entropy_loss,
    "permanent_posterior": permanent_posterior,
    "error_probability": error_probability,
    "privacy_minimum": privacy_minimum,
    "utility_threshold": utility_threshold,
    "concept_error": concept_error,
    "certificate": certificate,
    "manifest": manifest,
}
"""Every operation but ``describe``, by name: a function from the fields of a request to its answer.

A module adds an operation with one row here; ``describe`` lists the names.
"""


def answer(request: object) -> Answer:
    """Return the answer of the specification to a request.

    >>> answer({"op": "coins", "size": 3, "tape": "b0"})
    {'result': [1, 0, 1], 'consumed': 1}
    >>> answer({"op": "coins", "size": 3, "tape": ""})["error"]["kind"]
    'tape_exhausted'
    """
    return respond(request, OPERATIONS, "splu-ref specification", keys.SPECIFICATION)


def respond(
    request: object, operations: Mapping[str, Callable[[Fields], Answer]], name: str, version: str
) -> Answer:
    """Return the answer to a request of a program with these operations.

    What is no object with a text ``op`` is ``malformed``. ``describe`` has no field and is answered with the
    names of the operations, ``ops``, and the ``name`` and the ``version`` of the program. Another operation
    that is not among them is ``unsupported``.
    """
    if not isinstance(request, dict) or not isinstance(request.get("op"), str):
        return refused("malformed", "this is no object with a text op")
    fields = Fields(request)
    try:
        if request["op"] == "describe":
            fields.finish()
            return {"ops": list(operations), "name": name, "version": version}
        if request["op"] not in operations:
            raise Unsupported(f"the operation {request['op']!r} is not known")
        return operations[request["op"]](fields)
    except Unsupported as error:
        return refused("unsupported", str(error))
    except Refused as error:
        return refused("parameter", str(error))
    except TapeExhausted as error:
        return refused("tape_exhausted", str(error))


def refused(kind: str, message: str) -> Answer:
    """Return the answer to a request that has none.

    >>> refused("parameter", "gamma is below 2")
    {'error': {'kind': 'parameter', 'message': 'gamma is below 2'}}
    """
    return {"error": {"kind": kind, "message": message}}


def read_line(line: bytes) -> object:
    """Return the value of a line; None, which is no request, if it is not JSON in UTF-8.

    White space around the value is allowed. ``NaN`` and ``Infinity`` are no JSON, and a byte-order mark is no
    white space. A number, also an integer, of 2^1024 - 2^970 (about 1.8e308) or more in size is refused with
    its line: it becomes infinite when it is rounded to a double. Lists and objects are read to a depth of 64,
    the object of the request included; a line with deeper ones may count as malformed. What a key that occurs
    twice means is left to the program.

    >>> read_line(b' {"op": "describe"} '), read_line(b"NaN"), read_line(b"")
    ({'op': 'describe'}, None, None)
    >>> read_line(b'{"op": "describe", "id": 1e400}'), read_line(b"1" + 309 * b"0")
    (None, None)
    """
    try:
        value: object = json.loads(
            line.decode(), parse_constant=_refuse_constant, parse_float=_finite, parse_int=_integer
        )
    except (ValueError, RecursionError):
        return None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if abs(value) == inf:
        raise ValueError("the number is too large")
    return value


def _integer(digits: str) -> int:
    _finite(digits)
    return int(digits)


def written_answer(request: object, given: Answer) -> bytes:
    """Return the line of an answer, which repeats the ``id`` of the request."""
    if isinstance(request, dict) and "id" in request:
        given = {**given, "id": request["id"]}
    return json.dumps(given).encode() + b"\n"


def serve(respond: Callable[[object], Answer]) -> None:
    """Answer standard input line by line, to its end."""
    for line in sys.stdin.buffer:
        request = read_line(line)
        sys.stdout.buffer.write(written_answer(request, respond(request)))
        sys.stdout.buffer.flush()
