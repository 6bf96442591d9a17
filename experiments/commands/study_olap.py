"""``python -m experiments study --olap``: the experiments of Agrawal, Srikant and Thomas 2005."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from experiments.commands.study_figures import show_figures
from experiments.study import MISSING, Summary, prepare, write_study
from experiments.study.olap import OLAP_LEVELS, run
from experiments.study.tables import table_file
from splu_proofs.olap.tables import ADULT, adult
from splu_ref.cli.output import note, show
from splu_ref.cli.progress import counted
from splu_ref.randomness import SeededSource


def repeat_olap(
    level: str, data: Path | None, report: Path | None, seed: int, *, force: bool, as_json: bool
) -> int:
    """Make figures 4 to 14, show or write them, and return 0: nothing is promised of them."""
    begin = perf_counter()
    table = adult(None if data is None else str(table_file(ADULT, data)))
    if report is not None:
        prepare(report, force=force)
    with counted("studying") as progress:
        figures = run(
            table,
            OLAP_LEVELS[level],
            lambda name: SeededSource(f"{seed}/olap/{name}".encode()),
            folder=report,
            common={"seed": seed},
            progress=progress,
        )
    row = {
        "name": table.name,
        "rows": table.rows,
        "columns": [str(column) for column in table.columns],
    }
    found = Summary((row,), tuple(figures), ())
    facts = {
        "level": level,
        "seed": seed,
        "pictures": report is not None and find_spec("matplotlib") is not None,
        "seconds": perf_counter() - begin,
    }
    if report is not None:
        for path in write_study(found, facts, report, force=force):
            note(f"wrote {path}")
        if not facts["pictures"]:
            note(MISSING)
    if as_json:
        show(facts | found.as_json(), (), as_json=True)
    else:
        show_figures(found.figures)
        show({}, [(table.name, f"{table.rows} records: {', '.join(map(str, table.columns))}")], as_json=False)
    return 0
