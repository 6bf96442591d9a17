from .api import ExactProbability as ExactProbability
from .api import answers as answers
from .api import audit_release as audit_release
from .api import crosstab as crosstab
from .api import examine as examine
from .api import recode as recode
from .api import t_f as t_f
from .api import t_p as t_p
from .api import tabulate as tabulate
from .data import Microdata as Microdata
from .data import embedded_table as embedded_table
from .data import read_table as read_table
from .mechanisms import AlphaBeta as AlphaBeta
from .mechanisms import Anatomy as Anatomy
from .mechanisms import Budget as Budget
from .mechanisms import DistributionBased as DistributionBased
from .mechanisms import LaplaceCounts as LaplaceCounts
from .mechanisms import PublishedTable as PublishedTable
from .mechanisms import Release as Release
from .mechanisms import SpluGen as SpluGen
from .mechanisms import SpluGenByColumn as SpluGenByColumn
from .mechanisms import Transcript as Transcript
from .mechanisms import read_manifest as read_manifest
from .mechanisms import read_release as read_release
from .mechanisms import read_transcript as read_transcript
from .mechanisms import transcribed as transcribed
from .randomness import Key as Key
from .randomness import KeyedSource as KeyedSource
from .randomness import SeededSource as SeededSource

__version__: str
SPECIFICATION: str
