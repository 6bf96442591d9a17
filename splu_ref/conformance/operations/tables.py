"""Operations on files: tables with their codes and identities, keys, and manifests."""

from __future__ import annotations

from splu_ref.channels import Json
from splu_ref.data import Microdata, decompress, parse_csv, require_suffix
from splu_ref.mechanisms import MECHANISMS, parse_manifest
from splu_ref.randomness import Key
from splu_ref.spec.errors import Unsupported
from splu_ref.spec.requests import Fields


def read_table(fields: Fields) -> dict[str, Json]:
    """Answer the names and the cells of a table."""
    table = _table(fields)
    fields.finish()
    cells = [table.cells(column) for column in table.columns]
    return {"columns": list(table.columns), "rows": [list(row) for row in zip(*cells, strict=True)]}


def column_codes(fields: Fields) -> dict[str, Json]:
    """Answer the domain of a sensitive column, and the code of every record."""
    missing = fields.optional_text("missing")
    column, table = fields.text("column"), _table(fields, missing)
    fields.finish()
    return {"codes": table.codes(column).tolist(), "domain": list(map(str, table.domain(column)))}


def identities(fields: Fields) -> dict[str, Json]:
    """Answer the bytes that identify each record, and those of its cells."""
    column = fields.optional_text("id_column")
    table = _table(fields)
    fields.finish()
    found = table.identities(column)
    return {
        "identities": [identity.hex() for identity in found],
        "records": [record.hex() for record in table.records()],
    }


def table_digest(fields: Fields) -> dict[str, Json]:
    """Answer the digest of a table's content, which its manifest holds."""
    table = _table(fields)
    fields.finish()
    return {"digest": table.content_digest()}


def key_file(fields: Fields) -> dict[str, Json]:
    """Answer the key that a file holds."""
    content = fields.octets("file")
    fields.finish()
    return {"key": Key.parse(content, "file").secret.hex()}


def manifest(fields: Fields) -> dict[str, Json]:
    """Answer what a manifest says of its release."""
    content = fields.octets("file")
    fields.finish()
    parsed = parse_manifest(content, "file", MECHANISMS)
    origin = parsed.origin
    return {
        "method": parsed.mechanism.name,
        "facts": [[name, str(value)] for name, value in parsed.mechanism.facts().items()],
        "rows": parsed.rows,
        "batches": list(parsed.batches),
        "sensitive": [
            {"column": column, "domain": list(domain)} for column, domain in parsed.domains.items()
        ],
        "table": None if origin is None else origin.table,
    }


def _table(fields: Fields, missing: str | None = None) -> Microdata:
    name, content = fields.text("name"), fields.octets("file")
    suffix = require_suffix(name)
    if suffix == ".parquet":
        raise Unsupported("a Parquet file is not read from a request: give CSV")
    data = content if suffix == ".csv" else decompress(content, name)
    return Microdata.from_frame(parse_csv(data, name), missing)
