"""What each check of a release means, in plain words."""

from __future__ import annotations

MEANING = {
    "schema": "the published table has the columns of the original, in their order and of their types",
    "rows": "as many rows are published as the mechanism publishes, for SPLU-Gen a multiple of gamma",
    "domain": "only values of the declared domain are published",
    "records": "every row has the other cells of a record of its own, and fewer than gamma are missing",
    "feasible": "the original allows this gamma: no value holds more than one in gamma of the records",
    "values": "only values of the original are published, and none more often than its groups have places",
    "manifest.rows": "the manifest speaks of as many rows as there are",
    "manifest.domain": "the manifest lists the values",
    "counts": "the published counts are as far from the true ones as they should be",
    "exactness": "the published counts are not closer to the true ones than any plan lets them be",
    "independence": "no place, order, cell or other column tells which records kept their value",
    "unlinked": "rows that may be several records do not show what most of these have, more often than drawn",
    "possible": "no row shows a value that it cannot have under the named plan",
    "predicates": "no cell, and no two, show a value more often than any record shows any value",
    "share": "no published count is too large, or too small, for any original that the claim allows",
    "histogram": "every column has the values that it had, each as often as it had it",
    "locality": "cells were swapped with no regard to where their records stand, or to what else they hold",
    "columns": "the published columns are those that the mechanism publishes",
    "sizes": "every group has as many records as the smallest may have, or more",
    "ranges": "every range is one, and no record could be in two of the groups that were compared",
    "groups": "the rows are the groups of the original, with their ranges and sizes, in their order",
    "sample": "no rule that looks at the records chose which of a group is shown",
    "distinct": "no row repeats another",
    "size": "as many rows, and of every value, are published as any original would give",
    "genuine": "tuples of the original are published as often as claimed",
    "fakes": "as many tuples that are not of the original are published as claimed",
    "spread": "tuples that are not of the original are spread evenly over the domain",
    "replacement": "each value but the own one replaces it as often as its chance says",
    "retention": "records keep their own value as often as claimed",
    "decoys": "no other value is published with the records of a value more often than a decoy can be",
    "plan": "the records of a value are published with the decoys of the named plan, as often as it says",
    "places": "the order of the original file did not decide who got which decoys",
    "shuffle": "the rows stand in a random order",
    "recomputed": "the original, and the draws of the transcript or the key, give this table, cell by cell",
    "draws": "the records drew with the stated probabilities, whatever they hold and wherever they stand",
    "orders": "the rows, and the records within each value, were put in a random order",
    "bytes": "the bytes of the transcript are uniform",
    "second": "the second release repeats the draws of the first, so that it reveals nothing more",
}
"""What a passed check speaks for, by the name of the check."""

NOT_SHOWN = (
    "deviations smaller than those that a check's power names may be there",
    "the random integers may be known to somebody: a secret seed or a stolen key look random as well",
    "a few rows among many may have been chosen instead of drawn",
    "other releases of this table, and what other columns give away, are not looked at",
)
"""What no audit of a release shows, whatever the mechanism."""

NOT_SHOWN_BY_REPLAY = (
    "how the randomness was chosen: to draw again until a count fits, or to try keys, leaves no trace here",
    "deviations of the draws smaller than those that a check's power names may be there",
    "the random integers may be known to somebody: the transcript or the key undoes the release",
    "other releases of this table, and what other columns give away, are not looked at",
)
"""What is left open where the release was made again."""
