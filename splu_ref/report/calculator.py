"""The page without installing: calculator, certificate checker and auditor in one HTML file."""

from __future__ import annotations

from pathlib import Path

BROWSER = Path(__file__).parent / "browser"
"""The implementation in JavaScript, from which the page is built and which the test vectors hold."""
