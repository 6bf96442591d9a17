"""The checker is one file that an independent party can copy, read and run."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from splu_ref import certificate_checker
from splu_ref.guarantees import certificate_text, error_certificate, privacy_certificate

SOURCE = Path(certificate_checker.__file__)
TREE = ast.parse(SOURCE.read_text(encoding="utf-8"))


def test_it_imports_the_standard_library_and_nothing_else() -> None:
    imported = set()
    for node in ast.walk(TREE):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import is an import of ours"
            assert node.module is not None
            imported.add(node.module.partition(".")[0])
    assert imported
    assert imported <= set(sys.stdlib_module_names)
    assert "splu_ref" not in imported


def test_it_has_no_other_way_to_import_or_to_run_text() -> None:
    names = {node.id for node in ast.walk(TREE) if isinstance(node, ast.Name)}
    assert not names & {"__import__", "exec", "eval", "compile", "importlib", "globals"}


def test_it_has_no_floating_point_number() -> None:
    constants = [node.value for node in ast.walk(TREE) if isinstance(node, ast.Constant)]
    assert not [value for value in constants if isinstance(value, float | complex)]
    assert not [node for node in ast.walk(TREE) if isinstance(node, ast.Div) and not _of_fractions(node)]
    names = {node.id for node in ast.walk(TREE) if isinstance(node, ast.Name)}
    assert "float" not in names
    attributes = {node.attr for node in ast.walk(TREE) if isinstance(node, ast.Attribute)}
    assert not attributes & {"sqrt", "log", "log2", "log10", "exp", "lgamma", "pow"}


def _of_fractions(division: ast.Div) -> bool:
    """Whether a division has one of the parameters in it that are Fractions."""
    for node in ast.walk(TREE):
        if isinstance(node, ast.BinOp) and node.op is division:
            fractions = {"epsilon", "p", "low", "delta", "z"}
            return any(isinstance(n, ast.Name) and n.id in fractions for n in ast.walk(node))
    return False


@pytest.fixture(scope="module")
def copied_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("independent")
    copy = folder / "certificate_checker.py"
    copy.write_bytes(SOURCE.read_bytes())
    return copy


def run(checker: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", checker.name, *arguments],
        cwd=checker.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_true_certificate_in_an_empty_folder(copied_out: Path) -> None:
    (copied_out.parent / "true.json").write_text(certificate_text(privacy_certificate(10, "0.3", 3)))
    done = run(copied_out, "true.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("valid: With gamma = 10, for every count f from 1 to 3")
    assert "0.612579511" in done.stdout
    assert done.stdout.count("\n") == 1


def test_a_false_and_an_unreadable_certificate(copied_out: Path) -> None:
    certificate = error_certificate(10, "0.3", 5)
    certificate["evidence"]["numerator"] = "1" + certificate["evidence"]["numerator"][1:]
    (copied_out.parent / "false.json").write_text(json.dumps(certificate))
    done = run(copied_out, "false.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "false: evidence.numerator is not what the arithmetic gives\n"
    (copied_out.parent / "noise.json").write_bytes(bytes(range(256)))
    done = run(copied_out, "--json", "noise.json")
    assert (done.returncode, done.stderr) == (2, "")
    answer = json.loads(done.stdout)
    assert answer["valid"] is False
    assert answer["claim"] is None


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["missing.json"], ["."]])
def test_a_wrong_call(copied_out: Path, arguments: list[str]) -> None:
    done = run(copied_out, *arguments)
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.startswith("unreadable: ")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--jsno", "FILE"], ["FILE", "--jsno"], ["--json", "--strict", "FILE"], ["--json=yes", "FILE"],
        ["-json", "FILE"], ["-q", "FILE"], ["--", "FILE"], ["", "FILE"], ["FILE", "FILE"], ["--help"],
        ["--json"], ["--json", "--json"],
    ],
)  # fmt: skip
def test_an_option_that_it_does_not_have_is_no_verdict(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The certificate is valid, and a mistyped option is reported: it was not checked as requested."""
    path = tmp_path / "c.json"
    path.write_text(certificate_text(error_certificate(10, "0.3", 5)))
    assert certificate_checker.main([str(path)]) == 0
    assert capsys.readouterr().out.startswith("valid: ")
    assert certificate_checker.main([str(path) if each == "FILE" else each for each in arguments]) == 2
    printed = capsys.readouterr().out
    assert json.loads(printed)["valid"] is False if "--json" in arguments else "unreadable: " in printed
    assert "valid: With" not in printed


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", 2),
        (b"null", 2),
        (b"[]", 2),
        (b"{}", 2),
        (b"true", 2),
        (b'"valid"', 2),
        (b'{"valid": true}', 2),
        (b"\xff", 2),
        (b"CERTIFICATE CERTIFICATE", 2),
        (b" CERTIFICATE\n", 0),
        (b"FALSE", 1),
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_exit_code_is_that_of_the_verdict(
    content: bytes, code: int, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = certificate_text(error_certificate(10, "0.3", 5))
    wrong = text.replace('"numerator": "', '"numerator": "1')
    assert wrong != text
    path = tmp_path / "c.json"
    path.write_bytes(content.replace(b"CERTIFICATE", text.encode()).replace(b"FALSE", wrong.encode()))
    assert certificate_checker.main([*options, str(path)]) == code
    printed = capsys.readouterr().out
    word = ("valid", "false", "unreadable")[code]
    assert json.loads(printed)["valid"] is (code == 0) if options else printed.startswith(f"{word}: ")
