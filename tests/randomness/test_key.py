"""Key files: created closed, never overwritten by accident, never shown."""

import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.randomness import Key

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX systems")
SECRET = bytes(range(31)) + b"!"
LINE = b"splu-ref-key-1 " + SECRET.hex().encode() + b"\n"


def closed_file(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_a_key_survives_its_file(tmp_path: Path) -> None:
    key = Key.generate()
    key.write(tmp_path / "key")
    assert Key.read(tmp_path / "key") == key
    assert key != Key.generate()


def test_the_file_is_one_documented_line(tmp_path: Path) -> None:
    Key(SECRET).write(tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == LINE


@POSIX
def test_the_file_is_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    program = """
import os, sys
from splu_ref.randomness import Key
os.umask(0)
opened = os.open
def checked(path, flags, mode=0o777, **options):
    if flags & os.O_CREAT:
        assert mode == 0o600 and flags & os.O_EXCL, (path, mode)
        sys.stdout.write("created ")
    return opened(path, flags, mode, **options)
os.open = checked
Key.generate().write(sys.argv[1] + "/key")
Key.generate().write(sys.argv[1] + "/key", force=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "created created "
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "key"
    first, second = Key.generate(), Key.generate()
    first.write(path)
    with pytest.raises(InputError, match=r"exists.*force=True"):
        second.write(path)
    assert Key.read(path) == first
    second.write(path, force=True)
    assert Key.read(path) == second
    assert os.listdir(tmp_path) == ["key"]  # noqa: PTH208  # no temporary file is left


@POSIX
def test_a_link_is_not_followed_when_creating(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="exists"):
        Key.generate().write(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"key file .*nowhere"):
        Key.generate().write(tmp_path / "nowhere" / "key")


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_is_said_to_be_one_and_not_to_hold_a_key(tmp_path: Path, force: bool) -> None:
    with pytest.raises(InputError) as caught:
        Key.generate().write(tmp_path, force=force)
    assert str(caught.value) == f"key file {tmp_path} is a folder: name a file in it"
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(InputError, match=r"^key file a\0b cannot be written: embedded null byte"):
        Key.generate().write("a\0b")
    with pytest.raises(InputError, match=r"^key file 'a\\x00b' is no name that a file can have: name"):
        Key.read("a\0b")


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    for force in (False, True):
        with pytest.raises(InputError, match=r"^key file .*: No space left on device: choose"):
            Key.generate().write(tmp_path / "key", force=force)
    assert list(tmp_path.iterdir()) == []


@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610, 0o644])
def test_a_file_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = closed_file(tmp_path / "key", LINE)
    path.chmod(mode)
    with pytest.raises(InputError, match=f"chmod 600 {path}"):
        Key.read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        LINE[:-2] + b"\n",
        LINE.replace(b"0", b"g", 1),
        LINE.upper(),
        LINE[:15] + LINE[15:].upper(),
        LINE[:-3] + b"\n",
        LINE[:-1] + b"0\n",
        b" " + LINE,
        LINE[:-1] + b" \n",
        LINE + LINE,
        b"splu-ref-key-2 " + LINE[15:],
        LINE.replace(b" ", b""),
        b"\xff" * 1000,
        LINE + b" " * 200,
    ],
)
def test_a_file_of_another_format_is_refused_without_quoting_it(tmp_path: Path, content: bytes) -> None:
    path = closed_file(tmp_path / "key", content)
    with pytest.raises(InputError, match="splu-ref key") as caught:
        Key.read(path)
    assert "00010203" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [LINE, LINE[:-1], LINE[:-1] + b"\r\n"])
def test_the_end_of_the_line_is_free(tmp_path: Path, content: bytes) -> None:
    assert Key.read(closed_file(tmp_path / "key", content)) == Key(SECRET)


def test_missing_files_and_directories_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent.*splu-ref key"):
        Key.read(tmp_path / "absent")
    with pytest.raises(InputError, match="key file"):
        Key.read(tmp_path)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_has_32_bytes(length: int) -> None:
    with pytest.raises(InputError, match="32 bytes"):
        Key(bytes(length))


def test_a_key_is_never_shown() -> None:
    key = Key(SECRET)
    shown = f"{key} {key!r} {[key]}"
    assert "<secret>" in shown
    assert "0001" not in shown
    assert r"\x01" not in shown
    assert pickle.loads(pickle.dumps(key)) == key  # worker processes need it


@pytest.mark.parametrize(
    "secret",
    [bytes(32), b"\xff" * 32, b"ab" * 16, bytes(range(16)) * 2, bytes(range(32)), bytes(range(40, 8, -1))],
)
def test_a_pattern_is_no_key(secret: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a pattern that can be guessed"):
        Key(secret)
    path = closed_file(tmp_path / "key", b"splu-ref-key-1 " + secret.hex().encode() + b"\n")
    with pytest.raises(InputError, match=r"key file .*key: the key is a pattern") as caught:
        Key.read(path)
    assert secret.hex() not in str(caught.value)
    Key(secret[:-1] + bytes([secret[-1] ^ 4]))  # one byte off is no pattern
