"""The recorded output of commands: `output.txt`, `output.json` and `refused.txt`.

``python -m tests.cli.golden_output`` writes these files again; review the difference. A line that ends with
``…`` matches every line with the same beginning.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.programs import main

ROOT = Path(__file__).parents[2]
LINES, REFUSALS = (Path(__file__).with_name(name) for name in ("output.txt", "refused.txt"))
PROGRAM = "$ splu-ref "
WRITING = ("key", "operator", "page", "publish")
REFUSED = "exit 2"
SLOW = ("advise", "audit-release")
FILES = ("--manifest", "--log", "--certificate", "--transcript", "--key-file", "--release")


def expected_lines() -> dict[str, list[str]]:
    """Return the recorded lines by command, in the order of execution."""
    _, *parts = re.split(rf"^{re.escape(PROGRAM)}", LINES.read_text("utf-8"), flags=re.MULTILINE)
    return {words: lines.splitlines() for words, lines in (part.split("\n", 1) for part in parts)}


def make_inputs(folder: Path) -> None:
    """Write the tables and files that the commands read."""
    lines = (f"{20 + n % 3},{'north' if n % 2 else 'south'},job {n * n % 11}" for n in range(240))
    (folder / "table.csv").write_text("age,part,job\n" + "\n".join(lines) + "\n")
    (folder / "few.csv").write_text("age,job\n1,a\n2,b\n3,a\n4,a\n")
    queries = ("age <= 3", "age <= 2", "age >= 2")
    (folder / "few.sql").write_text("".join(f"SELECT COUNT(*) FROM few WHERE {each};\n" for each in queries))
    domains: dict[str, Any] = {"age": {"min": 20, "max": 23}, "job": [f"job {n}" for n in range(11)]}
    (folder / "domain.json").write_text(json.dumps(domains))
    people = (f"{'FMX'[n % 3]},{'abcde'[n % 4]}" for n in range(12))
    (folder / "persons.csv").write_text("sex,job\n" + "\n".join(people) + "\n")
    (folder / "people.json").write_text(json.dumps({"sex": list("FMX"), "job": list("abcde")}))
    holes = (f"{n % 5},{'' if n % 9 == 0 else 'xyz'[n % 3]},{n}" for n in range(60))
    (folder / "holes.csv").write_text("age,job,id\n" + "\n".join(holes) + "\n")
    wanted = ({"job": "job 9", "age": "20"}, {"job": ["job 0", "job 3"]}, {"job": "job 1", "part": "north"})
    (folder / "queries.jsonl").write_text("".join(json.dumps({"where": each}) + "\n" for each in wanted))
    laws = {"job": {f"job {n}": f"{1 + (n == 0)}/12" for n in range(11)}}
    (folder / "laws.json").write_text(json.dumps(laws))
    parted = [{"where": {"part": part}, "values": domains["job"]} for part in ("north", "south")]
    (folder / "parts.json").write_text(json.dumps({"job": parted}))
    linked = (f"{'abc'[n % 3]},{n % 3},{n % 5}" for n in range(60))
    (folder / "linked.csv").write_text("job,office,age\n" + "\n".join(linked) + "\n")
    queries = ("age >= 2 AND age <= 3", "job = 'a' AND age >= 1 AND age != 3", "job IN ('a', 'b')")
    (folder / "twice.sql").write_text(
        "".join(f"select count(*) from few where {each};\n" for each in queries)
    )
    queries = (
        """job is not null and "age" between 1 and 3 and id < 50""",
        "age not in (1, 2) and job is null",
        "`job` <> 'z' and age > 1",
    )
    (folder / "odd.sql").write_text(
        "".join(f"select count(*) from holes where {each};\n" for each in queries)
    )
    (folder / "not.sql").write_text("""select count(*) from few where job <> 'it''s' and not "age" = 4""")
    (folder / "salaries.toml").write_bytes((ROOT / "docs" / "examples" / "salaries.toml").read_bytes())


def run(words: str) -> list[str]:
    """Return the output of a command: its lines with single blanks, behind ``!`` those of standard error."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main(shlex.split(words))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    lines += [f"! {' '.join(line.split())}" for line in err.getvalue().splitlines()]
    return lines + ([f"exit {code}"] if code else [])


def run_json(words: str) -> None:
    """Run a command with ``--json``; the fixture of this folder compares the output with its schema."""
    force = ["--force"] if words.startswith(WRITING) or "--certificate" in words else []
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()):
        main([*shlex.split(words), "--json", *force])
    json.loads(out.getvalue())


def spoiled() -> dict[str, str]:
    """Return recorded commands with one invalid option value each, by command, option and value.

    Of each option that takes a value, and of each way to spoil it, the first command that has it.
    """
    found: dict[str, str] = {}
    for words, lines in expected_lines().items():
        if lines[-1:] == [REFUSED] or words.startswith(SLOW):
            continue
        given = shlex.split(words)
        for place, option in enumerate(given[:-1]):
            if option.startswith("--") and option not in FILES and not given[place + 1].startswith("--"):
                for value in ("0", "nonsense"):
                    wrong = [*given[: place + 1], value, *given[place + 2 :]]
                    force = ["--force"] if given[0] in WRITING and "--force" not in given else []
                    found.setdefault(f"{given[0]} {option} {value}", shlex.join([*wrong, *force]))
    return found


def run_spoiled(words: str) -> str:
    """Return the error line of a command with an invalid option, or its last line."""
    lines = run(words)
    return next((line[2:] for line in lines if line.startswith("! splu-ref")), lines[-1])


def abbreviated(expected: list[str], lines: list[str]) -> list[str]:
    """Return the lines, with those that match a recorded beginning replaced by it."""
    begun = [line for line in expected if line.endswith("…")]
    return [next((old for old in begun if line.startswith(old[:-1])), line) for line in lines]


def _write() -> None:
    """Write both files from the present output of the commands."""
    lines = expected_lines()
    os.environ["COLUMNS"] = "1000"
    with TemporaryDirectory() as folder, chdir(folder):
        make_inputs(Path())
        for words, old in lines.items():
            lines[words] = abbreviated(old, run(words))
        refused = [f"{name}: {run_spoiled(words)}\n" for name, words in spoiled().items()]
    REFUSALS.write_text("".join(refused), "utf-8")
    blocks = (f"{PROGRAM}{words}\n" + "".join(f"{line}\n" for line in each) for words, each in lines.items())
    LINES.write_text("".join(blocks), "utf-8")


if __name__ == "__main__":
    _write()
