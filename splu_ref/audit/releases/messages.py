"""Descriptions of the checks of a release, and of the limits of audits."""

from __future__ import annotations

MEANING = {
    "content digest": "the table has the content that the manifest was written for",
    "schema": "the published table has the columns of the original, in their order and of their types",
    "rows": "as many rows are published as the mechanism publishes, for SPLU-Gen a multiple of gamma",
    "domain": "only values of the declared domain are published",
    "records": "the rows have the other cells of distinct records, and fewer than gamma records are missing",
    "feasible": "the original allows this gamma: no value has more than one in gamma of the records",
    "values": "only values of the original are published, and none more often than its groups have places",
    "manifest.rows": "the manifest states the number of rows",
    "manifest.domain": "the manifest lists the values",
    "counts": "the published counts deviate from the true ones as their law predicts",
    "exactness": "the published counts are not closer to the true ones than possible under any plan",
    "independence": "the retention of records is independent of place, order, cells and other columns",
    "unlinked": "rows that may be several records do not have their majority value too often",
    "possible": "no row has a value that is impossible under the named plan",
    "predicates": "no predicate of one or two cells has a value more often than any law allows",
    "share": "no published count is too large, or too small, for any original that the claim allows",
    "histogram": "every column has the values of the original with unchanged frequencies",
    "locality": "cells were swapped independently of the position and the other cells of their records",
    "columns": "the published columns are those that the mechanism publishes",
    "sizes": "every group has as many records as the smallest may have, or more",
    "ranges": "every range is valid, and no record could be in two of the compared groups",
    "groups": "the rows are the groups of the original, with their ranges and sizes, in their order",
    "sample": "the published record of a group was chosen independently of the records",
    "distinct": "no row repeats another",
    "size": "the numbers of rows, and of rows with each value, are possible for some original",
    "genuine": "tuples of the original are published as often as claimed",
    "fakes": "as many tuples that are not of the original are published as claimed",
    "spread": "tuples that are not of the original are spread evenly over the domain",
    "replacement": "each other value replaces the true one with the claimed probability",
    "retention": "records retain their true value as often as claimed",
    "decoys": "no other value is published with the records of a value more often than a decoy can be",
    "plan": "the records of a value are published with the decoys of the named plan, at their claimed rates",
    "places": "the decoys of records are independent of the order of the original file",
    "shuffle": "the rows are in a random order",
    "recomputed": "the original and the draws of the transcript or the key give this table, cell by cell",
    "draws": "the records drew with the stated probabilities, independently of their cells and positions",
    "orders": "the rows, and the records within each value, were put in a random order",
    "bytes": "the bytes of the transcript are uniform",
    "second": "the second release repeats the draws of the first, so that it reveals nothing more",
}
"""What a passed check is evidence for, by the name of the check."""

UNLINKED = "no row of the second release can be linked with one of the first: they were not compared"
"""Why a second release was not compared."""
COMPARABLE = "give --second a release of the same table with the same public columns"
"""Which second release can be compared."""
ADD_ID = "if it was made under a key, add the --id that it was published with"
"""What to give if a key alone does not give the published table."""

NOT_SHOWN = (
    "deviations smaller than the stated power may be undetected",
    "somebody may know the random integers: a secret seed or a stolen key look random as well",
    "a few rows among many may have been chosen instead of drawn",
    "other releases of this table, and disclosure by other columns, are not examined",
)
"""Limits of every audit of a release."""

NOT_SHOWN_BY_REPLAY = (
    "how the randomness was chosen: repeated draws until a count fits, or trials of keys, leave no trace",
    "deviations of the draws smaller than the stated power may be undetected",
    "somebody may know the random integers: the transcript or the key undoes the release",
    "other releases of this table, and disclosure by other columns, are not examined",
)
"""Limits of the audit of a replayed release."""
