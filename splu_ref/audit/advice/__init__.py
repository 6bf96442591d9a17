"""What a publisher should choose: what each gamma and retention promises for a table, and which to take."""

from splu_ref.audit.advice.advising import Advice, advise
from splu_ref.audit.advice.drawing import picture
from splu_ref.audit.advice.groups import HomogeneousGroup, homogeneous_groups
from splu_ref.audit.advice.laws_of_draws import LawOfDraws, laws_of_draws
from splu_ref.audit.advice.leaks import Concentration, Leak, Leaks, Roles, scan
from splu_ref.audit.advice.option import Goals, Option
from splu_ref.audit.advice.recommendation import Recommendation, recommend
from splu_ref.audit.advice.skew import NO_CROSSING, crossing, require_groups
from splu_ref.audit.advice.together import Together, together
from splu_ref.audit.advice.worth import Worth, worth

__all__ = [
    "NO_CROSSING",
    "Advice",
    "Concentration",
    "Goals",
    "HomogeneousGroup",
    "LawOfDraws",
    "Leak",
    "Leaks",
    "Option",
    "Recommendation",
    "Roles",
    "Together",
    "Worth",
    "advise",
    "crossing",
    "homogeneous_groups",
    "laws_of_draws",
    "picture",
    "recommend",
    "require_groups",
    "scan",
    "together",
    "worth",
]
