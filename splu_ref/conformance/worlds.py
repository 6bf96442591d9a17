"""Small tables that are published many times, and samples of their releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Json, PublishedCount
from splu_ref.conformance.comparison import clipped, shown
from splu_ref.conformance.program import MisbehaviorError

BATCH = 500
"""Releases per request."""
BATCHES = 4
"""Requests per world; a smoke run makes one."""
MOST_RELEASES = BATCH * BATCHES
"""Releases of a world, at most."""

Ask: TypeAlias = Callable[[Mapping[str, object]], Mapping[str, Json]]
"""Sends a request and returns its answer; raises ``MisbehaviorError``."""
Integers: TypeAlias = NDArray[np.integer]


@dataclass(frozen=True)
class World:
    """A small table and the parameters of its repeated publication."""

    name: str  #: part of the ids of its checks
    sensitive: tuple[int, ...]  #: the codes; the first record's value occurs at least twice
    law: PublishedCount  #: the law of published counts: gamma, and the retention probability
    method: str  #: the plan method

    @property
    def requires(self) -> frozenset[str]:
        """The features that a program needs."""
        return frozenset({self.method} | (set() if self.law.is_plain else {"retention"}))

    @property
    def frequency(self) -> int:
        """The count of the first record's value."""
        return self.sensitive.count(self.sensitive[0])

    @property
    def deleted(self) -> int:
        """How many records are not published: the remainder of N by gamma."""
        return len(self.sensitive) % self.law.gamma

    @property
    def rows(self) -> int:
        """How many records are published."""
        return len(self.sensitive) - self.deleted

    def request(self, times: int) -> dict[str, object]:
        """Return the request for a number of releases."""
        fields: dict[str, object] = {"sensitive": list(self.sensitive), "gamma": int(self.law.gamma)}
        if not self.law.is_plain:
            fields["retention"] = str(self.law.retention)
        return {**fields, "method": self.method, "times": times}


_TWELVE = (0, 1, 0, 2, 1, 3, 0, 4, 1, 2, 5, 6)
WORLDS = (
    World("anatomy", _TWELVE, PublishedCount.of(3), "anatomy"),
    World("anatomy-retention", _TWELVE, PublishedCount.of(3, "3/5"), "anatomy"),
    World("cyclic", (0, 1, 2, 0, 1, 3, 0, 4), PublishedCount.of(2), "cyclic"),
    World("mixed", _TWELVE, PublishedCount.of(4), "mixed"),
    World("remainder", (*_TWELVE, 7, 8), PublishedCount.of(3), "anatomy"),
)


@dataclass(frozen=True)
class Sample:
    """Releases of a world: published codes, and the record at each row if the program reports it."""

    published: Integers
    rows: Integers | None

    def by_record(self) -> Integers:
        """Return the published code of every record, shape (releases, N); all records must be published."""
        assert self.rows is not None
        result = np.empty_like(self.published)
        np.put_along_axis(result, self.rows, self.published, axis=1)
        return result


def sample_releases(ask: Ask, world: World, batches: int) -> Sample:
    """Return the releases of a world, after checking that they can be releases of its table."""
    published: list[list[int]] = []
    rows: list[list[int]] = []
    for _ in range(batches):
        answer = ask(world.request(BATCH))
        if "error" in answer:
            raise MisbehaviorError(f"must be answered, not refused: {shown(answer['error'])}")
        published += _table(answer, "published", world)
        if "rows" in answer:
            rows += _table(answer, "rows", world)
    domain, records = set(world.sensitive), set(range(len(world.sensitive)))
    for release in published:
        if not domain.issuperset(release):
            raise MisbehaviorError(f"a release has a code that the table lacks: {shown(release)}")
    for order in rows:
        if len(set(order)) < len(order) or not records.issuperset(order):
            raise MisbehaviorError(f"the rows of a release are not records in some order: {shown(order)}")
    linked = np.array(rows, dtype=np.int64) if len(rows) == len(published) else None
    return Sample(np.array(published, dtype=np.int64), linked)


def _table(answer: Mapping[str, Json], key: str, world: World) -> list[list[int]]:
    releases = answer.get(key)
    size = world.rows
    if not isinstance(releases, list) or len(releases) != BATCH:
        raise MisbehaviorError(f"{key!r} must be a list of {BATCH} releases")
    for release in releases:
        whole = isinstance(release, list) and len(release) == size
        if not whole or not all(type(code) is int and 0 <= code < 1 << 62 for code in release):
            raise MisbehaviorError(
                f"a release must be a list of {size} integers, not {clipped(shown(release))}"
            )
    return releases
