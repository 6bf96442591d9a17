"""Names that load their file when they are used first."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from splu_ref.lazy import lazily


def test_a_name_is_found_in_its_file_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "made_up"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("first = 1\nsecond = [2]\n")
    (package / "other.py").write_text("third = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    find = lazily("made_up", {"one": ["first", "second"], "other": ["third"]})
    import made_up  # type: ignore[import-not-found]  # noqa: PLC0415  written just now

    assert find("second") == [2]
    assert "made_up.other" not in sys.modules
    assert made_up.second is find("second")
    assert not hasattr(made_up, "first")
    assert find("third") == 3
    with pytest.raises(AttributeError) as error:
        find("fourth")
    assert str(error.value) == "module 'made_up' has no attribute 'fourth'"
