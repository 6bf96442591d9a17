from .auditing import audit_release as audit_release
from .estimating import answers as answers
from .estimating import crosstab as crosstab
from .estimating import estimator_for as estimator_for
from .estimating import tabulate as tabulate
from .preparing import examine as examine
from .preparing import recode as recode
from .promises import ExactProbability as ExactProbability
from .promises import t_f as t_f
from .promises import t_p as t_p

__all__: list[str]
