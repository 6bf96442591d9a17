"""The front door: what `import splu_ref` offers in Python, put together from the rooms."""

from splu_ref.door.auditing import audit_release
from splu_ref.door.estimating import ESTIMATORS, answers, crosstab, tabulate
from splu_ref.door.preparing import recode
from splu_ref.door.promises import ExactProbability, t_f, t_p

__all__ = [
    "ESTIMATORS",
    "ExactProbability",
    "answers",
    "audit_release",
    "crosstab",
    "recode",
    "t_f",
    "t_p",
    "tabulate",
]
