"""One budget of work for a command, counted in products of machine digits before they are computed.

What long integers cost is known from their lengths: a product or a quotient of integers of a and b digits is
about a b products of digits, of 30 bits each, and the interpreter adds `STEP` to every operation. Such counts
depend on the input alone, not on the machine; `MOST` of them take about a minute on a common one. Whoever is
about to compute something long says first what it costs, with `spend`; what a whole computation will cost
is compared with `left` before it begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from splu_ref.model import ParameterError

MOST = 4 * 10**10
"""Products of digits that a command, a file of claims or a call from outside may ask for."""
STEP = 100
"""Products of digits in the time that the interpreter takes for one operation."""


class WorkError(ParameterError):
    """The budget is used up."""


class _Budget:
    """Work that has been asked for."""

    def __init__(self) -> None:
        self.spent = 0


_current: ContextVar[_Budget | None] = ContextVar("_current", default=None)


@contextmanager
def one_budget() -> Iterator[None]:
    """Let all work inside share one budget: the surrounding one, if there is one. Also a decorator."""
    if _current.get() is not None:
        yield
        return
    token = _current.set(_Budget())
    try:
        yield
    finally:
        _current.reset(token)


def spend(work: int) -> None:
    """Take work from the budget, before it is done.

    Raises
    ------
    WorkError
        If so much is not left; then no more work is done.
    """
    budget = _current.get()
    if budget is None:
        return
    budget.spent += work
    if budget.spent > MOST:
        raise WorkError(
            "this takes more than about a minute, the work that one command may do: give smaller counts, a "
            "larger epsilon or t_e, or numbers with fewer digits"
        )


def left() -> int:
    """Return how much work may still be asked for."""
    budget = _current.get()
    return MOST if budget is None else max(MOST - budget.spent, 0)


def digits(bits: int) -> int:
    """Return the machine digits of an integer of so many bits."""
    return bits // 30 + 1


def long_product(bits: int) -> int:
    """Return about the work of multiplying two integers of so many bits: less than the square of digits."""
    size = digits(bits)
    return STEP + size * math.isqrt(size) * size.bit_length() // 6


def reduction(bits: int) -> int:
    """Return about the work of bringing a fraction of integers of so many bits to lowest terms."""
    return STEP + digits(bits) ** 2
