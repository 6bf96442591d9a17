"""Advice for publishers: privacy, accuracy and disclosure risks of each feasible gamma and p."""

from splu_ref.audit.advice.advice import Advice, advise
from splu_ref.audit.advice.assessment import Assessment, assess
from splu_ref.audit.advice.groups import HomogeneousGroup, homogeneous_groups
from splu_ref.audit.advice.joint_choice import JointChoice, choose_jointly
from splu_ref.audit.advice.laws_of_draws import LawOfDraws, laws_of_draws
from splu_ref.audit.advice.leaks import Concentration, Leak, Leaks, Roles, scan
from splu_ref.audit.advice.option import Goals, Option
from splu_ref.audit.advice.picture import picture
from splu_ref.audit.advice.recommendation import Recommendation, recommend
from splu_ref.audit.advice.skew import NO_CROSSING, crossing, require_groups

__all__ = [
    "NO_CROSSING",
    "Advice",
    "Assessment",
    "Concentration",
    "Goals",
    "HomogeneousGroup",
    "JointChoice",
    "LawOfDraws",
    "Leak",
    "Leaks",
    "Option",
    "Recommendation",
    "Roles",
    "advise",
    "assess",
    "choose_jointly",
    "crossing",
    "homogeneous_groups",
    "laws_of_draws",
    "picture",
    "recommend",
    "require_groups",
    "scan",
]
