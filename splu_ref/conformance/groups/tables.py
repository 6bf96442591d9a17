"""Vectors of files: tables with their codes, identities and digests."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/tables.md"
DIGEST_PAGE = "docs/specification/publishing.md"
GZIP_HEAD = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])

TABLES: dict[str, str | bytes] = {
    "plain": "a,b\n1,2\n3,4\n",
    "one-column": "a\n1\n2\n1\n",
    "without-a-line-end": "a,b\n1,2\n3,4",
    "carriage-returns": "a,b\r\n1,2\r\n3,4\r\n",
    "mixed-line-ends": "a,b\r\n1,2\n3,4\r\n",
    "byte-order-mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "two-byte-order-marks": b"\xef\xbb\xbf\xef\xbb\xbfa,b\n1,2\n",
    "mark-in-a-cell": "a,b\n\ufeff1,2\n",
    "mark-quoted": '"\ufeffa",b\n1,2\n',
    "quoted": '"a","b"\n"1","2"\n',
    "quotes-doubled": 'a,b\n"say ""no""",""""\n',
    "commas-quoted": 'a,b\n"1,5",","\n',
    "line-feed-quoted": 'a,b\n"1\n5","\n"\n',
    "carriage-return-quoted": 'a,b\n"1\r5","\r\n"\n',
    "header-with-line-feed": '"a\nx",b\n1,2\n',
    "empty-cells": "a,b,c\n,,\n1,,3\n",
    "empty-quoted": 'a,b\n"",""\n1,\n',
    "one-column-empty": 'a\n""\n1\n""\n',
    "blanks": " a ,b\n 1 , \n",
    "blank-before-quote-free": "a,b\n\t1,\u00a02\n",
    "nothing-inferred": "a,b,c\n0012,1e5,NaN\nnull,#x,True\n-0,+1,2024-02-29\n",
    "beyond-ascii": "n\u00e9e,\u65e5\u672c\n\u00e9,e\u0301\n\U0001f9ea,\ufb01\n",
    "other-line-separators": "a,b\n1\u20282,3\u0085\x0b\x0c4\n",
    "long-cell": "a,b\n" + "x" * 300 + ",y\n",
    "apostrophes": "a,b\n'1,2'\n",
    "semicolons": "a;b,c\n1;2,3\n",
    "backslash": 'a,b\n1\\,"2\\"\n',
    "control-characters": "a,b\n\x01,\x7f\n",
}
REFUSED: dict[str, str | bytes] = {
    "empty": "",
    "mark-alone": b"\xef\xbb\xbf",
    "header-alone": "a,b\n",
    "header-without-line-end": "a,b",
    "blank-first-line": "\na,b\n1,2\n",
    "blank-line": "a,b\n1,2\n\n3,4\n",
    "blank-line-at-the-end": "a,b\n1,2\n\n",
    "blank-line-of-one-column": "a\n1\n\n2\n",
    "blank-line-with-carriage-return": "a,b\r\n1,2\r\n\r\n",
    "quote-inside": 'a,b\n1"2,3\n',
    "quote-after-a-blank": 'a,b\n "1",2\n',
    "blank-after-a-quote": 'a,b\n"1" ,2\n',
    "text-after-a-quote": 'a,b\n"1"2,3\n',
    "quote-never-closed": 'a,b\n"1,2\n',
    "quote-closed-at-the-end-only": 'a,b\n1,"2""\n',
    "carriage-return-alone": "a,b\r1,2\r",
    "carriage-return-in-a-cell": "a,b\n1\r5,2\n",
    "carriage-return-at-the-end": "a,b\n1,2\r",
    "too-many-cells": "a,b\n1,2,3\n",
    "too-few-cells": "a,b\n1\n",
    "comma-at-the-end": "a,b\n1,2,\n",
    "nul": "a,b\n1,\x002\n",
    "nul-quoted": 'a,b\n"1\x00",2\n',
    "name-twice": "a,b,a\n1,2,3\n",
    "empty-name": "a,,b\n1,2,3\n",
    "empty-quoted-name": 'a,""\n1,2\n',
    "latin-1": b"a,b\n\xe9,2\n",
    "cut-off-character": b"a,b\n1,\xe2\x82\n",
    "overlong": b"a,b\n\xc0\xaf,2\n",
    "surrogate": b"a,b\n\xed\xa0\x80,2\n",
    "beyond-unicode": b"a,b\n\xf4\x90\x80\x80,2\n",
    "latin-1-in-the-header": b"\xe9,b\n1,2\n",
    "utf-16": "a,b\n1,2\n".encode("utf-16"),
}


def groups() -> Iterator[Group]:
    """Yield the vector files of tables."""
    yield Group(
        "read_table", "csv", "Cells as they stand in a file.", PAGE, tuple(_read()), {"name": "t.csv"}
    )
    about = "Files that no table is read from."
    yield Group("read_table", "refused", about, PAGE, tuple(_refused()), {"name": "t.csv"})
    yield Group(
        "read_table", "names", "The kind of file is told by the end of its name.", PAGE, tuple(_names())
    )
    about = "Compressed files of one member and of several, whole and damaged."
    yield Group("read_table", "gzip", about, PAGE, tuple(_gzip()), {"name": "t.csv.gz"})
    about = "Domains in order, codes, and what counts as missing."
    yield Group("column_codes", "values", about, PAGE, tuple(_codes()), {"name": "t.csv", "column": "v"})
    yield Group(
        "identities", "records", "The bytes of records.", PAGE, tuple(_identities()), {"name": "t.csv"}
    )
    about = "Digests of a table's content, which do not depend on the order of its rows."
    yield Group("table_digest", "tables", about, DIGEST_PAGE, tuple(_digests()), {"name": "t.csv"})


def _octets(content: str | bytes) -> str:
    return (content.encode() if isinstance(content, str) else content).hex()


def _flags(content: str | bytes) -> tuple[str, ...]:
    octets = content.encode() if isinstance(content, str) else content
    return () if octets.isascii() else ("Text",)


def _read() -> Iterator[Case]:
    for name, content in TABLES.items():
        yield Case(name, {"file": _octets(content)}, _flags(content))


def _refused() -> Iterator[Case]:
    for name, content in REFUSED.items():
        yield Case(name, {"file": _octets(content)}, _flags(content), "parameter")


def _names() -> Iterator[Case]:
    content = _octets("a,b\n1,2\n")
    for name in ("t.CSV", "folder/t.Csv", ".csv", "a b.csv", "t.gz.csv", "t.parquet.csv"):
        yield Case(f"read-{_label(name)}", {"name": name, "file": content})
    for name in ("t", "t.txt", "t.csv ", "t.csv.zip", "csv", "t.tsv", "t.gz", ""):
        yield Case(f"refused-{_label(name)}", {"name": name, "file": content}, ("OutOfRange",), "parameter")
    packed = _octets(_member(b"a,b\n1,2\n"))
    yield Case("read-capitals-and-compressed", {"name": "T.CSV.GZ", "file": packed})
    yield Case("not-compressed", {"name": "t.csv.gz", "file": content}, ("OutOfRange",), "parameter")
    yield Case(
        "compressed-but-not-called-so", {"name": "t.csv", "file": packed}, ("OutOfRange",), "parameter"
    )


def _label(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.lower()) or "nothing"


def _member(content: bytes, check: int | None = None, size: int | None = None) -> bytes:
    """Return a gzip member of one stored block, so that no compressor decides its bytes."""
    stored = struct.pack("<BHH", 1, len(content), 0xFFFF - len(content)) + content
    crc = zlib.crc32(content) if check is None else check
    return GZIP_HEAD + stored + struct.pack("<II", crc, len(content) if size is None else size)


def _gzip() -> Iterator[Case]:
    whole = b"a,b\n1,2\n3,4\n"
    one = _member(whole)
    yield Case("stored", {"file": one.hex()})
    yield Case("two-members", {"file": (_member(whole[:6]) + _member(whole[6:])).hex()})
    yield Case("an-empty-member", {"file": (_member(b"") + one).hex()})
    named = bytes([0x1F, 0x8B, 8, 8, 1, 2, 3, 4, 0, 3]) + b"t.csv\x00" + one[10:]
    yield Case("with-name-and-time", {"file": named.hex()})
    yield Case("byte-order-mark", {"file": _member(b"\xef\xbb\xbf" + whole).hex()}, ("Text",))
    for name, damaged in {
        "empty": b"",
        "no-content": _member(b""),
        "breaks-off": one[:-5],
        "breaks-off-in-the-header": one[:7],
        "wrong-checksum": _member(whole, check=1),
        "wrong-size": _member(whole, size=3),
        "wrong-mark": b"\x1f\x8c" + one[2:],
        "other-method": one[:2] + b"\x07" + one[3:],
        "second-member-breaks-off": one + one[:12],
        "damaged-block": one[:10] + b"\x07" + one[11:],
    }.items():
        yield Case(name, {"file": damaged.hex()}, ("OutOfRange",), "parameter")


def _column(*cells: str) -> str:
    return _octets("id,v\n" + "".join(f'{number},"{cell}"\n' for number, cell in enumerate(cells)))


def _codes() -> Iterator[Case]:
    yield Case("by-code-point", {"file": _column("b", "a", "B", "\u00e9", "z", "a", "Z", "_")}, ("Text",))
    yield Case("numbers-are-texts", {"file": _column("10", "9", "2", "100", "02", "1e1", "-1")})
    yield Case(
        "planes", {"file": _column("\uffff", "\U00010000", "\ue000", "\ud7ff", "\U0010ffff")}, ("Text",)
    )
    yield Case("not-normalized", {"file": _column("\u00e9", "e\u0301", "\u00e9", "e")}, ("Text",))
    yield Case("not-stripped", {"file": _column("a", " a", "a ", "a\t", "A")})
    yield Case("prefixes", {"file": _column("ab", "a", "abc", "b", "a")})
    yield Case("line-feeds", {"file": _column("a\nb", "a", "a b", "a\rb")})
    yield Case(
        "markers-inside", {"file": _column("a?", "NAN", "na", "null", "none", "Na", "nan", "-", "N.A.")}
    )
    for name, cell in {
        "empty": "",
        "blank": " ",
        "white-space": "\t \u00a0",
        "wide-white-space": "\u3000\u2003",
        "question-mark": "?",
        "na": "NA",
        "n-a": "N/A",
        "nan": "NaN",
        "null": "NULL",
        "blanks-around": " NA ",
        "wide-blanks-around": "\u2003?\u00a0",
    }.items():
        fields: dict[str, object] = {"file": _column("x", cell, "y", cell, "x")}
        yield Case(f"missing-{name}", fields, ("OutOfRange",), "parameter")
        for told, missing in {"as-unknown": "unknown", "as-mark": "?", "as-x": "x"}.items():
            yield Case(f"{name}-{told}", {**fields, "missing": missing})
    yield Case("missing-told-but-none", {"file": _column("x", "y"), "missing": "?"})
    yield Case("zero-width-space-is-a-value", {"file": _column("x", "\u200b", "\ufeff")}, ("Text",))
    one = {"file": _column("x", "x", "x")}
    yield Case("one-value", one, ("OutOfRange",), "parameter")
    yield Case(
        "one-value-and-missing", {"file": _column("x", "", "x"), "missing": "x"}, ("OutOfRange",), "parameter"
    )
    yield Case("missing-makes-a-second", {"file": _column("x", "", "x"), "missing": "?"})
    other = {"file": _octets("id,w\n1,a\n2,b\n")}
    yield Case("no-such-column", other, ("OutOfRange",), "parameter")
    capital = {"file": _octets("id,V\n1,a\n2,b\n")}
    yield Case("column-in-capitals", capital, ("OutOfRange",), "parameter")


def _identities() -> Iterator[Case]:
    tables: Mapping[str, str] = {
        "distinct": "id,v\n1,a\n2,b\n",
        "repeated": "u,v\na,x\nb,y\na,x\na,x\nb,y\n",
        "empty-cells": 'u,v\n,x\nx,\n"",x\n',
        "of-the-page": "a,b\n\u00e9,10\n\u00e9,10\n",
        "cells-that-run-together": "u,v\nab,c\na,bc\n",
        "markers": "u,v\nNA,?\nNaN, \n",
        "beyond-ascii": "\u00fc,v\n\U0001f9ea,\u65e5\ne\u0301,\u00e9\n",
        "many-columns": "a,b,c,d,e\n1,2,3,4,5\n5,4,3,2,1\n",
    }
    for name, table in tables.items():
        flags = _flags(table)
        yield Case(name, {"file": _octets(table)}, flags)
    named = "id,v\nanna,x\nben,y\n\u00e9mile,x\n"
    yield Case("by-column", {"file": _octets(named), "id_column": "id"}, ("Text",))
    yield Case("not-stripped", {"file": _octets("id,v\na,x\n a,y\n"), "id_column": "id"})
    alike = "id,v\n\u00e9,x\ne\u0301,y\n"
    yield Case("not-normalized", {"file": _octets(alike), "id_column": "id"}, ("Text",))
    for name, table in {
        "id-twice": "id,v\na,x\nb,y\na,z\n",
        "id-empty": "id,v\na,x\n,y\n",
        "no-such-id-column": "ID,v\na,x\nb,y\n",
    }.items():
        yield Case(name, {"file": _octets(table), "id_column": "id"}, ("OutOfRange",), "parameter")


def _digests() -> Iterator[Case]:
    for name, table in {
        "two-rows": "a,b\n1,x\n2,y\n",
        "two-rows-in-another-order": "a,b\n2,y\n1,x\n",
        "quoted": '"a","b"\r\n"1","x"\r\n"2","y"\r\n',
        "columns-exchanged": "b,a\nx,1\ny,2\n",
        "another-name": "A,b\n1,x\n2,y\n",
        "another-cell": "a,b\n1,x\n2,Y\n",
        "a-row-twice": "a,b\n1,x\n2,y\n1,x\n",
        "empty-cells": "a,b\n,\n1,\n",
        "lengths-before-contents": "a\nbb\nc\nabc\n",
        "beyond-ascii": "\u00fc\n\u00e9\n\ufb01\n\U0001f9ea\n",
    }.items():
        yield Case(name, {"file": _octets(table)}, _flags(table))
    many = "".join(f"{k % 7},{k * k % 11}\n" for k in range(60))
    yield Case("sixty-rows", {"file": _octets("a,b\n" + many)}, ("Large",))
