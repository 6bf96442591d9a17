"""Write into each file of vectors the module of the specification that decides its answers.

``python -m tests.docs.vector_pages`` is run when a module of the specification gets another name.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PAGE = re.compile(r'"page": "[^"]*"')

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))


def page_of(operation: str) -> str:
    """Return the path of the module that decides the answers of an operation."""
    calls = import_module("specification_calls")
    operations = calls.protocol().OPERATIONS
    module = calls.deciding(operation) if operation in operations else calls.protocol()
    return Path(str(module.__file__)).relative_to(ROOT).as_posix()


def main() -> None:
    """Rewrite the files whose page is another one."""
    for path in sorted((ROOT / "vectors").glob("*/*.json")):
        text = path.read_text(encoding="utf-8")
        page = json.dumps(page_of(path.parent.name))
        written = _PAGE.sub(f'"page": {page}', text, count=1)
        if written != text:
            path.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
