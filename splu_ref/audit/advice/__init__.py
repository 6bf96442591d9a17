"""What a publisher should choose: what each gamma and retention promises for a table, and which to take."""

from splu_ref.audit.advice.advising import Advice, advise
from splu_ref.audit.advice.drawing import picture
from splu_ref.audit.advice.groups import HomogeneousGroup, homogeneous_groups
from splu_ref.audit.advice.option import Goals, Option
from splu_ref.audit.advice.recommendation import Recommendation, recommend

__all__ = [
    "Advice",
    "Goals",
    "HomogeneousGroup",
    "Option",
    "Recommendation",
    "advise",
    "homogeneous_groups",
    "picture",
    "recommend",
]
