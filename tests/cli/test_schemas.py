"""Every command with JSON has a schema; the other tests of this folder hold what is printed to them."""

from __future__ import annotations

import pytest
from jsonschema import ValidationError

from splu_ref import terminal
from splu_ref.cli import main
from splu_ref.cli.app import COMMANDS, command
from tests.cli import conftest


def test_every_command_has_a_schema_and_no_other_has() -> None:
    with_json = {name for name in COMMANDS if any("--json" in each.opts for each in command(name).params)}
    assert {path.stem for path in conftest.SCHEMAS.iterdir()} == with_json


def test_another_output_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", "-o", "none/p.html", "--json"]) == 2
    capsys.readouterr()
    terminal.say_json({"page": "p.html", "bytes": 3})
    for wrong in ({"page": "p.html"}, {"page": "p.html", "bytes": "3"}):
        with pytest.raises(ValidationError):
            terminal.say_json(wrong)
