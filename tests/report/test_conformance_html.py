"""Several programs on one page: operations against programs, and nothing of them obeyed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from splu_ref.cli import main
from splu_ref.conformance import vector_files, write_vectors

PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "describe":
        answer = {{"ops": ["estimate"], "features": ["mle"], "name": "{name}", "version": "1"}}
    elif request["published_count"] < 0:
        answer = {{"error": {{"kind": "parameter"}}}}
    else:
        answer = {{"estimate": str(min(request["published_count"], request.get("bound", 10**9)) + {off})}}
    print(json.dumps(answer), flush=True)
"""


def test_a_matrix_of_two_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [file for file in vector_files() if file.path in ("estimate/mle-5.json", "below/bound-4.json")]
    write_vectors(tmp_path / "v", files, force=False)
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(PROGRAM.format(name="right", off=0))
    wrong.write_text(PROGRAM.format(name="<b>wrong", off=1))
    page = tmp_path / "m.html"
    words = ["conform", "--vectors", str(tmp_path / "v"), "--html", str(page), "--force"]
    assert main([*words, "--beside", f"{sys.executable} {wrong}", "--", sys.executable, str(right)]) == 1
    text = page.read_text(encoding="utf-8")
    assert "<b>" not in text
    assert "&lt;b&gt;wrong" in text
    (row,) = (line for line in text.splitlines() if "<code>estimate</code>" in line)
    assert row.index("✓") < row.index("✗")
    assert text.count('<span class="badge ">– not offered</span>') == 4  # below and publish_random, by both
    assert "Failures of" in text
    capsys.readouterr()
    assert main([*words, "--beside", "'", "--", "true"]) == 2
    assert "is no command line:" in capsys.readouterr().err
