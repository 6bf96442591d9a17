"""The papers' experiments on real tables, and their figures."""

from splu_ref.study.coverage import (
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
from splu_ref.study.criteria import Criterion, criteria
from splu_ref.study.drawing import MISSING, drawings
from splu_ref.study.exhibits import Figure, Panel, Point, Series
from splu_ref.study.experiments import Results, run
from splu_ref.study.figures import figures
from splu_ref.study.level import LEVELS, Level
from splu_ref.study.methods import Printed
from splu_ref.study.recipes import EMBEDDED, RECIPES, Recipe
from splu_ref.study.settings import SETTINGS, Setting
from splu_ref.study.summary import Summary, prepare, summary, write_study
from splu_ref.study.tables import StudyTable, coded, study_table

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
