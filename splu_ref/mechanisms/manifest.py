"""The public manifest of a release: mechanism, parameters, domains and origin, without any secret."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import accumulate, pairwise, starmap
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from splu_ref import SPECIFICATION, __version__
from splu_ref.channels import DataError, InputError, integer, unrepeated
from splu_ref.data import (
    Dropped,
    Hashed,
    Microdata,
    Recoding,
    Records,
    apply_recodings,
    open_regular,
    read_steps,
)
from splu_ref.mechanisms.interfaces import Mechanism
from splu_ref.randomness import Key, SystemSource

SCHEMAS = ("splu-ref/manifest/1", "splu-ref/manifest/2")
"""Supported schemas. The first has no origin."""
SETS = ("alpha-beta",)
"""Methods that publish a set of tuples, which may be empty."""
_TWO_TABLES = ("Anatomy",)
"""Methods that publish the sensitive columns in another table."""
_BY_COLUMN = ("gamma", "retention", "plan")
"""Parameters of SPLU-Gen that are recorded by column if any of them is."""
LONGEST_FILE = 1 << 24
"""Size limit of a manifest in bytes."""
DIGEST, _RELEASE, _DATE = (
    re.compile(pattern) for pattern in ("[0-9a-f]{64}", "[0-9a-f]{32}", "[0-9]{4}-[0-9]{2}-[0-9]{2}")
)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The published table of a manifest, and the program that published it."""

    table: str  # see `Microdata.content_digest`
    # name of the release, 32 random hexadecimal digits from the system's entropy, independent of any key or
    # seed
    release: str
    date: str  # day of publication in UTC, such as ``2024-02-29``
    # version, specification: versions of the program and of the specification
    version: str
    specification: str
    code: str  # SHA-256 of the program's files: see `code_digest`

    @classmethod
    def now(cls, table: Microdata) -> Self:
        """Return the origin of a table that is published now."""
        return cls.of_content(table.content_digest())

    @classmethod
    def of_content(cls, digest: str) -> Self:
        """Return the origin of a table that is published now, by the digest of its content."""
        return cls(
            table=digest,
            release=SystemSource().read(16).hex(),
            date=datetime.now(UTC).date().isoformat(),
            version=__version__,
            specification=SPECIFICATION,
            code=code_digest(),
        )


@cache
def code_digest() -> str:
    """Return SHA-256 of the installed Python files of this package, in hexadecimal digits.

    The message is each file's path inside the package and its content, with ``/`` between folders, in
    ascending order of the paths, each with its length before it as 8 bytes, big-endian.
    """
    root = Path(__file__).parents[1]
    found = (path for kind in ("*.py", "*.pyi") for path in root.rglob(kind))
    files = {path.relative_to(root).as_posix(): path for path in found}
    digest = hashlib.sha256()
    for name in sorted(files):
        for part in (name.encode(), files[name].read_bytes()):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@dataclass(frozen=True)
class Manifest:
    """The public parameters of a release.

    Attributes
    ----------
    mechanism
        The mechanism with its parameters.
    rows
        Number of published records.
    domains
        All values of each sensitive column, by column, whether published or not.
    origin
        The published table and its program; None for a manifest of the first schema.
    batches
        Number of records of each batch, oldest first; empty for a release without batches.
    batch_tables
        Digest of the content of each batch, whose rows follow each other in the table; empty if none are
        recorded.
    recoded
        Recodings of the original's columns before publication, in their order.
    sensitive_table
        Digest of the content of Anatomy's sensitive table; None if there is none, or it is not recorded.
    missing
        The text that was published for missing cells of sensitive columns; None if they were refused.
    observed_domain
        Whether domains that a mechanism needs to be declared were taken from the table; None if that is not
        recorded.
    id_column
        The column that identified a record under the key; None if none did, or it is not recorded.
    """

    mechanism: Mechanism[object]
    rows: int
    domains: Mapping[str, tuple[str, ...]]
    origin: Origin | None = None
    batches: tuple[int, ...] = ()
    recoded: tuple[Recoding, ...] = ()
    sensitive_table: str | None = None
    missing: str | None = None
    observed_domain: bool | None = None
    batch_tables: tuple[str, ...] = ()
    id_column: str | None = None

    def batch_rows(self, table: Records) -> tuple[range, ...] | None:
        """Return the rows of each batch, none for a release without batches; None if they are not known.

        They are known by the digests of the batches, so not in a table that is counted in parts.
        """
        if not self.batches:
            return ()
        if not isinstance(table, Microdata) or not self.batch_tables:
            return None
        rows = _consecutive(self.batches)
        return rows if batch_digests(table, self.batches) == self.batch_tables else None

    def require(self, table: Microdata) -> None:
        """Raise ``DataError`` unless rows and content of the table agree with the manifest."""
        self.require_rows(table.row_count)
        if self.origin is not None:
            self.require_digest(table.content_digest())
        self.require_columns(table.columns)

    def require_columns(self, columns: Collection[str]) -> None:
        """Raise ``DataError`` if a sensitive column is none of the published table's columns."""
        for name in self.domains if self.mechanism.name not in _TWO_TABLES else ():
            if name not in columns:
                raise DataError(
                    f"the manifest names {name!r} as sensitive, which is no column of the table: the "
                    "manifest is of another release, or the table was changed: give the files of one release"
                )

    def require_rows(self, rows: int) -> None:
        """Raise ``DataError`` if the number of rows differs from the manifest."""
        if rows != self.rows:
            raise DataError(
                f"the table has {rows} rows, the manifest says {self.rows}: give the files of one release"
            )

    def require_digest(self, digest: str) -> None:
        """Raise ``DataError`` if the digest of a table's content differs from the manifest."""
        if self.origin is not None and digest != self.origin.table:
            raise DataError(
                "the table is not the one that the manifest was written for, or was changed since "
                f"(the digest of its content is not {self.origin.table[:12]}…): give the files of one release"
            )

    def recode(self, original: Microdata, key: Key | None = None, without: Collection[str] = ()) -> Microdata:
        """Apply the recodings of the manifest to the original.

        Parameters
        ----------
        original
            The original table.
        key
            The secret key of columns that were hashed.
        without
            Hashed columns that are left out instead.

        Raises
        ------
        DataError
            If a column is missing or cannot be recoded, or was hashed and no key is given.
        """
        steps = read_steps([step.facts() for step in self.recoded], None if key is None else key.secret)
        known = {*original.columns, *(step.column for step in steps if not isinstance(step, Dropped))}
        left = [
            Dropped(step.column) if isinstance(step, Hashed) and step.column in without else step
            for step in steps
            if not isinstance(step, Dropped) or step.column in known
        ]
        return apply_recodings(original, left)[0]

    @property
    def hashed(self) -> tuple[str, ...]:
        """The columns, none of them sensitive, that were hashed: who has no key cannot compare them."""
        steps = (step.column for step in self.recoded if isinstance(step, Hashed))
        return tuple(name for name in steps if name not in self.domains)

    def to_json(self) -> bytes:
        """Return the manifest as a JSON document: no true count, plan secret, key or seed."""
        origin = self.origin
        document: dict[str, object] = {
            "schema": SCHEMAS[0 if origin is None else 1],
            "method": self.mechanism.name,
            **self.mechanism.facts(),
            "rows": self.rows,
            **({"batches": list(self.batches)} if self.batches else {}),
            **({"batch_tables": list(self.batch_tables)} if self.batch_tables else {}),
            **({} if self.missing is None else {"missing": self.missing}),
            **({} if self.id_column is None else {"id": self.id_column}),
            **({"recoded": [step.facts() for step in self.recoded]} if self.recoded else {}),
            **({} if self.observed_domain is None else {"observed_domain": self.observed_domain}),
            "sensitive": [
                {"column": column, "domain": list(domain)} for column, domain in self.domains.items()
            ],
        }
        if origin is None:
            document["produced_by"] = {"version": __version__, "spec": SPECIFICATION}
        else:
            document |= {"table": origin.table}
            document |= {} if self.sensitive_table is None else {"sensitive_table": self.sensitive_table}
            document |= {"release": origin.release, "date": origin.date}
            document["produced_by"] = {
                "version": origin.version,
                "spec": origin.specification,
                "code": origin.code,
            }
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def batch_digests(table: Microdata, sizes: Iterable[int]) -> tuple[str, ...]:
    """Return the digest of the content of each batch: consecutive rows, in these numbers."""
    return tuple(table.take(np.array(rows)).content_digest() for rows in _consecutive(sizes))


def _consecutive(sizes: Iterable[int]) -> tuple[range, ...]:
    ends = (0, *accumulate(sizes))
    return tuple(starmap(range, pairwise(ends)))


class _Object(dict[str, Any]):
    """A JSON object whose missing keys are named by errors; all of a document record the key read last."""

    def __init__(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]], last: list[str]) -> None:
        super().__init__(items)
        self.last = last

    def __getitem__(self, key: str) -> Any:
        self.last[:] = [key]
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or a default."""
        return self[key] if key in self else default  # noqa: SIM401 - this is get, and records the key

    def __missing__(self, key: str) -> NoReturn:
        raise DataError(f"the key {key!r} is missing: ask the publisher for a fresh copy")


class Facts:
    """The validated fields of a manifest's JSON document.

    Each method raises ``DataError`` if a field is missing, and ``TypeError`` or ``ValueError`` if it is
    malformed.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = _Object(document, document.last if isinstance(document, _Object) else [])

    def text(self, name: str) -> str:
        """Return a text."""
        return _text(self._document[name])

    def optional_text(self, name: str, otherwise: str) -> str:
        """Return a text, or a default if the field is missing."""
        return _text(self._document.get(name, otherwise))

    def integer(self, name: str) -> int:
        """Return a whole number of at least 1."""
        return integer(self._document[name], name, 1)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return one or more texts, none twice."""
        return _texts(self._document[name])

    def domains(self) -> dict[str, tuple[str, ...]]:
        """Return the domains of the sensitive columns, at least one."""
        found = [(_text(entry["column"]), _texts(entry["domain"])) for entry in self._document["sensitive"]]
        if not found:
            raise DataError("no column is sensitive: ask the publisher")
        try:
            return unrepeated(found)
        except KeyError:
            raise DataError("sensitive names a column twice: ask the publisher for a fresh copy") from None

    def only_domain(self) -> tuple[str, tuple[str, ...]]:
        """Return the only sensitive column and its domain."""
        domains = self.domains()
        if len(domains) != 1:
            raise DataError("this mechanism has one sensitive column: ask the publisher")
        return next(iter(domains.items()))

    def require_digest(self, digest: int | str) -> None:
        """Raise unless the domains have this digest."""
        if self.text("domains") != digest:
            raise DataError("domains is not the digest of the domains: ask the publisher")

    def shuffled(self) -> bool:
        """Return whether the rows are in a random order."""
        order = self.text("order")
        if order not in ("kept", "shuffled"):
            raise DataError("order is neither kept nor shuffled: ask the publisher")
        return order == "shuffled"

    def parsed(self, name: str) -> Any:
        """Return what a text holds as JSON, None if it is not JSON."""
        try:
            return json.loads(self.text(name))
        except (ValueError, RecursionError):
            return None

    def of_column(self, column: str, columns: Collection[str]) -> Facts:
        """Return the fields of one sensitive column, of a document that records parameters by column."""
        document = _Object(self._document, self._document.last)
        for name in self._document:
            by_column = self._document[name]
            if isinstance(by_column, dict) and name != "produced_by":
                if set(by_column) != set(columns):
                    raise ValueError
                document[name] = by_column[column]
            elif name in _BY_COLUMN:
                raise TypeError
        return Facts(document)

    def batches(self) -> tuple[int, ...]:
        """Return the number of records of each batch; empty if there are no batches."""
        if "batches" not in self._document:
            return ()
        found = tuple(integer(rows, "batches", 1) for rows in self._document["batches"])
        if len(found) < 2 or sum(found) != self.integer("rows"):
            raise DataError("batches do not add up to rows: ask the publisher")
        return found

    def batch_tables(self) -> tuple[str, ...]:
        """Return the digest of each batch; empty if none are recorded."""
        found = self._document.get("batch_tables", [])
        if not isinstance(found, list) or not all(DIGEST.fullmatch(_text(digest)) for digest in found):
            raise ValueError
        if found and len(found) != len(self.batches()):
            raise DataError("batch_tables has not one digest for each batch: ask the publisher")
        return tuple(found)

    def recoded(self) -> tuple[Recoding, ...]:
        """Return the recodings before publication; empty if none are recorded."""
        return read_steps(self._document.get("recoded", []))

    def origin(self) -> Origin | None:
        """Return the origin, or None in the first schema."""
        if self.text("schema") == SCHEMAS[0]:
            return None
        made = Facts(self._document["produced_by"])
        return Origin(
            table=self.matching("table", DIGEST),
            release=self.matching("release", _RELEASE),
            date=self.matching("date", _DATE),
            version=made.text("version"),
            specification=made.text("spec"),
            code=made.matching("code", DIGEST),
        )

    def observed_domain(self) -> bool | None:
        """Return whether the domain was taken from the table; None if that is not recorded."""
        if "observed_domain" not in self._document:
            return None
        observed = self._document["observed_domain"]
        if not isinstance(observed, bool):
            raise TypeError
        return observed

    def missing(self) -> str | None:
        """Return the text for missing cells; None if none is recorded."""
        return self.text("missing") if "missing" in self._document else None

    def id_column(self) -> str | None:
        """Return the column that identified a record under a key; None if none is recorded."""
        return self.text("id") if "id" in self._document else None

    def sensitive_table(self) -> str | None:
        """Return the digest of Anatomy's sensitive table; None if none is recorded."""
        return self.matching("sensitive_table", DIGEST) if "sensitive_table" in self._document else None

    def matching(self, name: str, form: re.Pattern[str]) -> str:
        """Return a text that matches a pattern."""
        found = self.text(name)
        if not form.fullmatch(found):
            raise ValueError
        return found


def read_manifest(path: Path, mechanisms: Mapping[str, Callable[[Facts], Mechanism[object]]]) -> Manifest:
    """Read a manifest."""
    try:
        with open_regular(path) as file:
            data = file.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file: check the path of the manifest") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}: check the path of the manifest and its rights") from None
    if len(data) > LONGEST_FILE:
        raise DataError(
            f"{path}: longer than {LONGEST_FILE} bytes: give the file that publish --manifest wrote"
        )
    return parse_manifest(data, str(path), mechanisms)


def parse_manifest(
    data: bytes, name: str, mechanisms: Mapping[str, Callable[[Facts], Mechanism[object]]]
) -> Manifest:
    """Parse the content of a manifest's file, which errors call ``name``; otherwise as `read_manifest`."""
    last: list[str] = []
    try:
        document: Any = json.loads(data, object_pairs_hook=lambda pairs: _Object(unrepeated(pairs), last))
    except KeyError:
        raise DataError(f"{name}: a key stands there twice: ask the publisher for a fresh copy") from None
    except (ValueError, RecursionError):
        raise DataError(f"{name}: not a JSON file: give the file that publish --manifest wrote") from None
    if not isinstance(document, dict) or document.get("schema") not in SCHEMAS:
        raise DataError(
            f"{name}: not a manifest of schema {' or '.join(SCHEMAS)}: "
            "give the file that publish --manifest wrote"
        )
    facts = Facts(document)
    try:
        method = document["method"]
        if not isinstance(method, str) or method not in mechanisms:
            known = ", ".join(mechanisms)
            raise DataError(f"the method {method!r} is unknown: the manifest must name one of {known}")
        rows, domains = integer(document["rows"], "rows", 0 if method in SETS else 1), facts.domains()
        rest = (facts.origin(), facts.batches(), facts.recoded(), facts.sensitive_table(), facts.missing())
        more = (facts.observed_domain(), facts.batch_tables(), facts.id_column())
        return Manifest(mechanisms[method](facts), rows, domains, *rest, *more)
    except InputError as error:
        raise DataError(f"{name}: {error}") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        place = "".join(f" at {key!r}" for key in last)
        fresh = "ask the publisher for a fresh copy"
        raise DataError(f"{name}: the manifest is damaged{place}: {fresh}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # a lone surrogate is a ValueError
    return value


def _texts(values: object) -> tuple[str, ...]:
    """Return a domain: distinct texts, at least one."""
    if not isinstance(values, list) or not values:
        raise TypeError
    return tuple(unrepeated([(_text(value), None) for value in values]))
