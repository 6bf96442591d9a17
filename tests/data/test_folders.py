"""Reports are written into a folder all or none, and never through a link to another place."""

from __future__ import annotations

from pathlib import Path

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.cli import audit, vectors, verify
from splu_ref.data import folders
from splu_ref.data.folders import check_folder, write_folder
from tests.programs import main

CLAIMS = """schema = "splu-ref/claims/1"
[release]
gamma = 5
epsilon = "0.3"

[[claim]]
id = "a"
kind = "small-sum-privacy"
alpha = 3
t_p = "0.5"
"""

WRITERS = {
    "verify": ["verify", "--report"],
    "study": ["study", "--report"],
    "audit": ["audit", "claims.toml", "--report"],
    "vectors": ["vectors"],
}
INNER = {"study": "pieces", "audit": "certificates"}
"""Folders that these commands make within the one that is named."""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside the working folder that nothing may be written to."""
    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("claims.toml").write_text(CLAIMS, "utf-8")
    for work in (verify, "run_suite"), (audit, "decide"), (vectors, "vector_files"):
        monkeypatch.setattr(*work, _too_early)
    return tmp_path / "elsewhere"


def _too_early(*_: object, **__: object) -> None:
    raise AssertionError("the work began before the folder was looked at")


def _refused(command: str, folder: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([*WRITERS[command], folder, "--force"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("splu-ref: ")
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize("command", WRITERS)
@pytest.mark.parametrize("named", ["link", "link/", "link/report", "./link/a/../report"])
def test_no_command_writes_through_a_linked_folder(
    command: str, named: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("link").symlink_to(elsewhere)
    assert "link is a symbolic link" in _refused(command, named, capsys)
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("command", WRITERS)
def test_an_absolute_path_is_tested_against_the_same(
    command: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = Path.cwd() / "link"
    link.symlink_to(elsewhere.parent / "absent")
    assert "is a symbolic link" in _refused(command, str(link / "report"), capsys)
    assert not (elsewhere.parent / "absent").exists()
    (elsewhere / "link").symlink_to(elsewhere.parent)
    assert "is a symbolic link" in _refused(command, str(elsewhere / "link"), capsys)


@pytest.mark.parametrize("command", INNER)
def test_nor_through_a_linked_folder_within(
    command: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("report").mkdir()
    Path("report", INNER[command]).symlink_to(elsewhere)
    assert f"report/{INNER[command]} is a symbolic link" in _refused(command, "report", capsys)
    assert not list(elsewhere.iterdir())
    assert [path.name for path in Path("report").iterdir()] == [INNER[command]]


def test_a_linked_folder_on_the_way_to_the_working_folder_is_the_users(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").symlink_to(elsewhere)
    monkeypatch.chdir(tmp_path / "home")
    for folder in (Path("report"), tmp_path / "home" / "second"):
        assert write_folder(folder, {"a/b.txt": b"b"}, force=False) == [folder / "a/b.txt"]
        assert (elsewhere / folder.name / "a" / "b.txt").read_bytes() == b"b"


def test_a_linked_file_is_replaced_not_followed(elsewhere: Path) -> None:
    target = elsewhere / "target"
    target.write_bytes(b"kept")
    Path("report").mkdir()
    Path("report", "a.txt").symlink_to(target)
    with pytest.raises(InputError, match="force=True"):
        write_folder("report", {"a.txt": b"a"}, force=False)
    write_folder("report", {"a.txt": b"a"}, force=True)
    assert target.read_bytes() == b"kept"
    assert Path("report", "a.txt").read_bytes() == b"a"


def test_nothing_is_left_of_what_fails(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_folder("new/report", ["a/b.txt", "c.txt"], force=False)
    assert not Path("new").exists()

    def full(*_: object, **__: object) -> None:
        raise InputError("no space left on device")

    monkeypatch.setattr(folders, "write_all", full)
    with pytest.raises(InputError, match="no space"):
        write_folder("new/report", {"a/b.txt": b"b"}, force=False)
    assert not Path("new").exists()
    Path("file").write_bytes(b"")
    for folder in ("file/report", "new\0"):
        with pytest.raises(InputError, match=r"folder cannot be made: .*: choose another place"):
            write_folder(folder, {"a.txt": b"a"}, force=False)
    Path("half").mkdir()
    Path("half", "b").write_bytes(b"")
    with pytest.raises(InputError, match="folder cannot be made"):
        check_folder("half", ["a/1", "b/2", "c/3"], force=True)
    assert [path.name for path in Path("half").iterdir()] == ["b"]
