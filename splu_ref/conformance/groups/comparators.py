"""Vectors of the mechanisms that SPLU-Gen is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group, seeded_tape

PAGE = "docs/specification/conformance.md"
TABLES = {
    "two-groups": (0, 1, 2, 0, 1, 2),
    "remainder": (4, 1, 2, 0, 1, 2, 3, 0),
    "many": tuple(k * k % 11 for k in range(33)),
    "two-digit-codes": (10, 2, 9, 100, 2, 10, 9, 21, 3, 100, 21, 3),
}
BUDGETS = ("ln 2", "ln 3", "ln 3/2", "1", "1/10", "0.3", "7/2", "1/200", "ln 1.01")


def groups() -> Iterator[Group]:
    """Yield the vector files of the comparators."""
    for method in ("anatomy", "mixed"):
        parameters: dict[str, object] = {"method": method, "gamma": 3}
        cases = (*_cases("publish_two_tables", parameters), *_infeasible())
        about = f"Two tables with groups of 3 by the method {method}."
        yield Group("publish_two_tables", f"{method}-3", about, PAGE, cases, parameters, (method,))
    about = "Values drawn from the histogram of the table."
    cases = (*_cases("publish_distribution_based", {}), *_no_table())
    yield Group("publish_distribution_based", "tables", about, PAGE, cases)
    for budget in BUDGETS:
        about = f"Counts with discrete Laplace noise of the budget {budget}."
        name = "budget-" + budget.replace(" ", "-").replace("/", "_")
        parameters = {"budget": budget}
        yield Group("publish_counts", name, about, PAGE, tuple(_counts(budget)), parameters)
    about = "Counts about 2**53, which are written as numbers below it and as texts from it on."
    cases = (*_about_2_to_53("ln 2"), *_about_2_to_53("1/10"))
    yield Group("publish_counts", "about-2-to-53", about, PAGE, cases)
    yield Group("publish_counts", "invalid", "Budgets that do not exist.", PAGE, tuple(_no_budget()))


def _cases(operation: str, parameters: Mapping[str, object]) -> Iterator[Case]:
    for name, codes in TABLES.items():
        fields = {"sensitive": list(codes)}
        for number in range(2):
            seed = f"{operation}/{name}/{number}"
            tape = seeded_tape(operation, {**parameters, **fields}, seed, left=number)
            yield Case(f"{name}-{number}", {**fields, "tape": tape}, ("TapeLeft",) if number else ())
        short = seeded_tape(operation, {**parameters, **fields}, f"{operation}/{name}", missing=1)
        yield Case(f"{name}-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _infeasible() -> Iterator[Case]:
    unread = {"sensitive": [0, 0, 0, 1, 2, 1, 2], "tape": ""}
    yield Case("above-the-limit-and-no-bytes", unread, ("Infeasible", "BeforeTheTape"), "parameter")
    fields = {"sensitive": [0, 0, 0, 1, 2, 1], "tape": "00" * 99}
    yield Case("above-the-limit", fields, ("Infeasible",), "parameter")


def _no_table() -> Iterator[Case]:
    yield Case("no-records", {"sensitive": [], "tape": ""}, ("Zero",), "parameter")
    yield Case("one-record", {"sensitive": [3], "tape": "00"}, ("NothingRead", "TapeLeft"))


def _counts(budget: str) -> Iterator[Case]:
    fields: dict[str, object] = {"counts": [0, 1, 9, 1_000, 123_456]}
    for number in range(3):
        tape = seeded_tape(
            "publish_counts", {"budget": budget, **fields}, f"counts/{budget}/{number}", left=number
        )
        yield Case(f"five-{number}", {**fields, "tape": tape}, ("TapeLeft",) if number else ())
    short = seeded_tape("publish_counts", {"budget": budget, **fields}, f"counts/{budget}", missing=1)
    yield Case("five-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _about_2_to_53(budget: str) -> Iterator[Case]:
    """Yield counts of which some are published as numbers and others as texts."""
    last = (1 << 53) - 1
    fields: dict[str, object] = {"budget": budget, "counts": [last - 1, last, last - 2, last, last, 0, 0]}
    for number in range(3):
        tape = seeded_tape("publish_counts", fields, f"counts/2-to-53/{budget}/{number}")
        yield Case(
            f"{budget.replace(' ', '-').replace('/', '_')}-{number}",
            {**fields, "tape": tape},
            ("Exact", "Limit"),
        )


def _no_budget() -> Iterator[Case]:
    for name, text in {
        "ln-twice": "ln ln 3",
        "two-blanks": "ln  3",
        "no-blank": "ln3",
        "capitals": "LN 3",
    }.items():
        yield Case(name, {"counts": [1], "budget": text, "tape": "00" * 9}, ("WrongType",), "parameter")
    yield Case(
        "zero-and-no-bytes", {"counts": [1], "budget": "0", "tape": ""}, ("BeforeTheTape",), "parameter"
    )
    for name, text in {
        "zero": "0",
        "negative": "-1",
        "ln-1": "ln 1",
        "ln-half": "ln 1/2",
        "word": "some",
    }.items():
        yield Case(name, {"counts": [1], "budget": text, "tape": "00" * 9}, ("OutOfRange",), "parameter")
    yield Case("number", {"counts": [1], "budget": 1, "tape": "00" * 9}, ("WrongType",), "parameter")
    yield Case("no-counts", {"counts": [], "budget": "1", "tape": "00" * 9}, ("Zero",), "parameter")
