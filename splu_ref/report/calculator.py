"""The page without installing: calculator, certificate checker and auditor in one HTML file."""

from __future__ import annotations

import re
from pathlib import Path

from splu_ref import SPECIFICATION, __version__
from splu_ref.report.page import page

BROWSER = Path(__file__).parent / "browser"
"""The implementation in JavaScript, from which the page is built and which the test vectors hold."""
PARTS = ("promises.mjs", "star.mjs", "claims.mjs", "worker.js")
"""The files that are one program in the page, which has no modules."""
_MODULES = re.compile(r"^import \{[^}]*\} from \"\./[^\"\n]*\";\n|^export (?=\w)", re.MULTILINE)


def calculator_page() -> bytes:
    """Return the page as a self-contained HTML document in UTF-8, the same bytes for the same version."""
    source = "\n".join(_MODULES.sub("", (BROWSER / name).read_text(encoding="utf-8")) for name in PARTS)
    return page(
        "calculator.html.j2",
        script_name="calculator.js",
        workers=True,
        source=source,
        version=__version__,
        specification=SPECIFICATION,
    )
