"""A made-up run of the verification suite, with every exhibit and hostile texts; a made-up ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from splu_ref.report.exhibits import Figure, KillMatrix, MutantRow, PublicationAudit, Series, ValueAudit
from splu_ref.report.model import Environment, Row, StatisticalRow, VerificationReport

HOSTILE = "<script>alert('x')</script>&\"\x00\x1b[31m"


@dataclass(frozen=True)
class Result:
    id: str
    status: str
    grade: str | None
    passed: bool
    summary: str
    seconds: float
    message: str
    recorded: str = ""


class MadeUpLedger:
    """Two claims, one of them refuted, and the printed curves of both figures."""

    def __init__(self, printed_sum: Callable[[int, int], Fraction], *, passed: bool = True) -> None:
        self.printed: Mapping[str, Callable[..., Fraction]] = {
            "splu.T3": lambda gamma, epsilon, frequency: 1 / (gamma * epsilon**2 * frequency**2)
        }
        frequencies = range(1, 11)
        self.figures: Mapping[str, Callable[[], Mapping[str, Any]]] = {
            "splu.F5": lambda: {
                "epsilon": Fraction(3, 10),
                "series": [
                    {
                        "gamma": g,
                        "frequencies": frequencies,
                        "printed": [printed_sum(g, f) for f in frequencies],
                    }
                    for g in (5, 10, 20)
                ],
            }
        }
        self._passed = passed

    def rows(self) -> Sequence[Mapping[str, object]]:
        return [
            {"id": "a.1", "title": "first", "words": "True.", "witness": None, "corrected_by": None},
            {
                "id": "a.2",
                "title": "second",
                "source": "§2",
                "statement": r"f\le 1",
                "witness": {
                    "parameters": {"f": "2"},
                    "printed": "1",
                    "true": "2",
                    "order": "by f",
                    "by_hand": "2 > 1.",
                },
                "corrected_by": "a.1",
            },
        ]

    def run(
        self,
        claim_id: str = "all",
        progress: Callable[[str, int, int], None] | None = None,
        *,
        coq: bool = False,
        spread: Callable[..., object] | None = None,
    ) -> Sequence[Result]:
        if progress is not None:
            progress("a.1", 0, 2)
        message = "" if self._passed else "the proof is outdated"
        return [
            Result("a.1", "proved", "exact", self._passed, "summed", 0.5, message),
            Result("a.2", "refuted", None, True, "looked at", 0.25, ""),
        ]


class RecordedProgress:
    """A progress that records its calls."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.steps: list[tuple[str, int]] = []

    def stage(self, title: str, steps: int | None = None) -> None:
        self.stages.append(title)

    def at(self, step: str, done: int) -> None:
        self.steps.append((step, done))


def made_up_environment() -> Environment:
    """Return where and with what the run took place."""
    return Environment(
        version="0.1.0",
        specification="1",
        commit="",
        code="0" * 64,
        python="CPython 3.11",
        platform="Linux",
        processors=2,
        workers=2,
        seed="2014",
        fresh_seed=False,
        started="2026-01-02T03:04:05+00:00",
        packages=(("numpy", "2.0"),),
        command="splu-ref verify --level full --report report",
    )


def made_up_report() -> VerificationReport:
    """Return a run with every exhibit, one failure, and texts that try to break out of their place."""
    rows = (
        Row("ledger", "splu.B", "law", "proved", True, "symbolic", "steps", 0.1, statement=r"f \le T_f"),
        Row(
            "ledger",
            "splu.T3",
            "bound",
            "refuted",
            True,
            "symbolic",
            "witness",
            0.2,
            statement=r"\unknown{" + HOSTILE,
            words=HOSTILE,
            witness=HOSTILE,
            corrected_by="splu.B",
        ),
        Row("enumeration", "enumeration.x", HOSTILE, "fails", False, "enumerated", HOSTILE, 1.5, HOSTILE),
    )
    series = (
        Series("exact, ε = 0.1", "exact", ((1, 0.5), (2, 0.25))),
        Series("printed, ε = 0.1", "printed", ((1, 0.05), (2, 0.025))),
    )
    figure = Figure("figure-4", "Figure 4", HOSTILE, "Lines.", "count f", "Pr", True, series)
    value = ValueAudit("<b>Sales</b>", 100, 90, (80, 101), "accurate", "0.01", True, -1.5)
    return VerificationReport(
        level="full",
        rows=rows,
        environment=made_up_environment(),
        seconds=3.25,
        statistics=(
            StatisticalRow("one", 2.5, Fraction(1, 10**7), "rate 0.1", True),
            StatisticalRow(HOSTILE, None, Fraction(2, 10**7), "", False),
        ),
        publications=(PublicationAudit("job", 5, 101, 100, 1, "small", "large", (value,)),),
        kill_matrix=KillMatrix(
            ("law", HOSTILE),
            (MutantRow("m1", HOSTILE, ("killed", "alive")), MutantRow("m2", "", ("alive", "not run"))),
        ),
        figures=(figure,),
        false_alarm_budget=Fraction(3, 10**7),
    )
