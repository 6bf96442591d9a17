"""Modules of proofs may not reach what judges them: each way is refused, and what proofs need is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from splu_proofs import reach
from splu_proofs.plain_code import require_plain
from splu_ref.channels.parameters import InputError


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import os\n", "it imports os"),
        ("from pathlib import Path\n", "it imports pathlib"),
        ("import atexit\n", "it imports atexit"),
        ("from .. import reach\n", "it imports reach"),
        ("from .. import check\n", "it imports check"),
        ("from ..reach import source_of\n", "it imports reach"),
        ("from ..check import SIGNS\n", "it imports check"),
        ("from ..affirmation import outdated\n", "it imports affirmation"),
        ("from splu_proofs import reach\n", "it imports splu_proofs"),
        ("import splu_proofs.reach as r\n", "it imports splu_proofs.reach"),
        ("from splu_ref.data.files import os\n", "it imports os"),
        ("from operator import attrgetter\n", "it imports attrgetter"),
        ("from ..worlds.shipped import *\n", "it imports"),
        ("import numpy as np\nnp.add = 1\n", "it changes np.add"),
        ("from ..arithmetic import law\nlaw.error_beyond = len\n", "it changes law.error_beyond"),
        ("from ..arithmetic import law\ndef f():\n    law.TABLE[0] = 1\n", "it changes law.TABLE"),
        ("T = {}\ndef f():\n    T[0] = 1\n", "it changes T"),
        ("def f():\n    g()[0] = 1\n", "it changes g"),
        ("del len.x\n", "it changes len.x"),
        ("exec('1')\n", "it uses exec"),
        ("x = [setattr]\n", "it uses setattr"),
        ("x = len.__globals__\n", "it uses __globals__"),
        ("x = __file__\n", "it uses __file__"),
        ("import numpy as np\nnp.os\n", "it uses os"),
        ("import numpy as np\nnp.testing.runstring('1', {})\n", "it uses"),
        ("import collections\ncollections._sys\n", "it uses _sys"),
        ("from dataclasses import _create_fn\n", "it imports _create_fn"),
        ("from functools import update_wrapper\n", "it imports update_wrapper"),
        ("from splu_ref.cli.ledger import load_ledger\n", "it imports splu_ref.cli.ledger"),
        ("def f(g):\n    return g.gi_frame\n", "it uses gi_frame"),
    ],
)
def test_what_reaches_out_of_a_proof_is_refused(
    text: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splu_proofs.plain_code.source_of", lambda _: text)
    with pytest.raises(InputError, match=f"sample, line [0-9]+: {fault}"):
        require_plain(["sample"])


def test_what_proofs_need_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "from ..terms import Claim\nfrom ..check import Comparisons\nfrom ..worlds import shipped\n"
        "from . import other\nimport numpy as np\nfrom splu_ref.channels import Gamma\n"
        "class A:\n    def __init__(self):\n        super().__init__()\n        self.x = 1\n"
        "def f():\n    law = {}\n    law[0] = 1\n    return law, __name__\n"
    )
    monkeypatch.setattr("splu_proofs.plain_code.source_of", lambda _: text)
    require_plain(["sample"])


def test_a_folder_that_runs_anything_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    require_plain(["splu_proofs.splu.__init__"])
    monkeypatch.setattr("splu_proofs.plain_code.names_only", lambda *_: False)
    with pytest.raises(InputError, match="does more than name its modules: take it out"):
        require_plain(["splu_proofs.splu.__init__"])


def test_all_proofs_are_read_before_any_is_imported(fresh: Callable[[], None]) -> None:
    fresh()
    require_plain()
    assert reach.source_of.cache_info().currsize >= len(list(Path(reach.__file__).parent.glob("*/[a-z]*.py")))
