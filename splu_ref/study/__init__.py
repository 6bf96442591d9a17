"""The papers' experiments on real tables, and their figures."""

from splu_ref.study.criteria import Criterion, criteria
from splu_ref.study.drawing import MISSING, drawings
from splu_ref.study.exhibits import Figure, Panel, Point, Series
from splu_ref.study.experiments import Results, run
from splu_ref.study.figures import figures
from splu_ref.study.level import LEVELS, Level
from splu_ref.study.methods import Printed
from splu_ref.study.recipes import EMBEDDED, RECIPES, Recipe
from splu_ref.study.summary import Summary, prepare, summary, write_study
from splu_ref.study.tables import StudyTable, coded, study_table

__all__ = [
    "EMBEDDED",
    "LEVELS",
    "MISSING",
    "RECIPES",
    "Criterion",
    "Figure",
    "Level",
    "Panel",
    "Point",
    "Printed",
    "Recipe",
    "Results",
    "Series",
    "StudyTable",
    "Summary",
    "coded",
    "criteria",
    "drawings",
    "figures",
    "prepare",
    "run",
    "study_table",
    "summary",
    "write_study",
]
