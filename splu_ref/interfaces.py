"""What the parts of the house are to each other: four Protocols.

A guarantee is none of them: it is a function of a channel and a prior, or of parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from splu_ref.microdata import Microdata
from splu_ref.randomness import Randomness

Release_co = TypeVar("Release_co", covariant=True)


class Mechanism(Protocol[Release_co]):
    """A way to publish a table, with its public parameters: a frozen value."""

    @property
    def name(self) -> str:
        """The ``method`` of a manifest."""
        ...

    def facts(self) -> Mapping[str, int | str]:
        """Return the parameters as a manifest tells them: exact numbers as text."""
        ...

    def publish(
        self,
        table: Microdata,
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
    ) -> Release_co:
        """Publish a table, its sensitive columns by the mechanism and the others as they are.

        Parameters
        ----------
        table
            The original table.
        sensitive
            Name of the sensitive column, or of several.
        randomness
            Where random integers come from; the system's entropy unless given.
        id_column
            Column that identifies a record, for keyed randomness.

        Raises
        ------
        DataError
            If the mechanism cannot publish the table.
        ParameterError
            If a sensitive column is named twice, or identifies the records as well.
        """
        ...
