"""The papers' experiments on real tables, and their figures."""

from experiments.study.coverage import (
    COVERAGE_LEVELS,
    LEAST,
    Cell,
    as_csv,
    as_markdown,
    available,
    coverage,
    lines,
    refuted,
)
from experiments.study.criteria import Criterion, criteria
from experiments.study.drawing import MISSING, drawings
from experiments.study.exhibits import Figure, Panel, Point, Series
from experiments.study.experiments import Results, run
from experiments.study.figures import figures
from experiments.study.level import LEVELS, Level
from experiments.study.methods import Printed
from experiments.study.recipes import EMBEDDED, RECIPES, Recipe
from experiments.study.settings import SETTINGS, Setting
from experiments.study.summary import Summary, prepare, summary, write_study
from experiments.study.tables import StudyTable, coded, study_table

__all__ = [
    "COVERAGE_LEVELS",
    "EMBEDDED",
    "LEAST",
    "LEVELS",
    "MISSING",
    "RECIPES",
    "SETTINGS",
    "Cell",
    "Criterion",
    "Figure",
    "Level",
    "Panel",
    "Point",
    "Printed",
    "Recipe",
    "Results",
    "Series",
    "Setting",
    "StudyTable",
    "Summary",
    "as_csv",
    "as_markdown",
    "available",
    "coded",
    "coverage",
    "criteria",
    "drawings",
    "figures",
    "lines",
    "prepare",
    "refuted",
    "run",
    "study_table",
    "summary",
    "write_study",
]
