"""Which part of the specification answers which operation of the protocol, by observation.

The smallest vectors of each operation are answered by the protocol, and the functions that it calls for them
are recorded. So a new operation, and a module with another name, need no list.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import CodeType, FrameType, ModuleType

from specification_source import Source, defined, modules
from vector_lists import VectorFiles

_WATCHED = 2
"""Vectors of each operation that are answered: the smallest of different files."""

Called = tuple[str, str]
"""A module and the qualified name of a function in it."""


@cache
def protocol() -> ModuleType:
    """Return the module that answers requests: the one that defines the table of operations."""
    [found] = [
        each for each in modules() if any("OPERATIONS" in defined(s) for s in Source.of(each).tree.body)
    ]
    return found


def handler(module: ModuleType, name: str) -> str | None:
    """Return the operation that a function answers, or None."""
    for operation, function in protocol().OPERATIONS.items():
        if (function.__module__, function.__name__) == (module.__name__, name):
            return str(operation)
    return None


@cache
def calls() -> dict[str, list[Called]]:
    """Return the functions that the protocol calls for each operation, in the order of the calls.

    Modules that it calls for more than half of the operations are left out, since they read requests, and so
    are those of errors.
    """
    found = {operation: _calls_for(operation) for operation in protocol().OPERATIONS}
    homes = [home for those in found.values() for home in {home for home, _ in those}]
    common = {
        home for home in homes if homes.count(home) > len(found) / 2 or _is_of_errors(sys.modules[home])
    }
    return {
        operation: [each for each in those if each[0] not in common] for operation, those in found.items()
    }


def _is_of_errors(module: ModuleType) -> bool:
    own = (each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__)
    return any(isinstance(each, type) and issubclass(each, Exception) for each in own)


def operations_of(module: ModuleType, name: str = "") -> list[str]:
    """Return the operations for which the protocol calls a module, or one definition in it."""
    return sorted(
        operation
        for operation, those in calls().items()
        if any(home == module.__name__ and name in ("", called.partition(".")[0]) for home, called in those)
    )


def deciding(operation: str) -> ModuleType:
    """Return the module that decides the answers of an operation.

    It is the one of which most functions are called; of several such modules, the one that is called last.
    """
    homes = [home for home, _ in calls()[operation]]
    return sys.modules[max(reversed(homes), key=homes.count, default=protocol().__name__)]


def _calls_for(operation: str) -> list[Called]:
    homes = {str(module.__file__): module.__name__ for module in modules()}
    found: dict[Called, None] = {}
    for request in VectorFiles.read().smallest(operation, _WATCHED):
        for code in _watched(request, homes):
            if "__" not in code.co_qualname:
                found[homes[code.co_filename], code.co_qualname] = None
    return list(found)


def _watched(request: Mapping[str, object], homes: Mapping[str, str]) -> list[CodeType]:
    """Return what is called from the protocol, or by the reader of requests, to answer a request."""
    found: list[CodeType] = []
    outside = {protocol().__name__, *(each.__module__ for each in protocol().OPERATIONS.values())}

    def watch(frame: FrameType, event: str, _: object) -> None:
        caller = frame.f_back
        home, from_home = (
            homes.get(each.f_code.co_filename, "") if each is not None else "" for each in (frame, caller)
        )
        if event == "call" and home not in ("", *outside) and from_home in outside:
            found.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        protocol().answer(dict(request))
    finally:
        sys.setprofile(before)
    return found
