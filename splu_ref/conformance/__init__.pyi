from .answering import all_answered as all_answered
from .answering import answered as answered
from .coverage import Share as Share
from .coverage import read_required as read_required
from .coverage import spoken as spoken
from .coverage import whole as whole
from .expectations import read_expected_failures as read_expected_failures
from .folder import differences as differences
from .folder import held as held
from .folder import read_vectors as read_vectors
from .folder import vector_files as vector_files
from .folder import write_vectors as write_vectors
from .outcome import Conformance as Conformance
from .program import Limits as Limits
from .reference import answer as answer
from .reference import answer_line as answer_line
from .result import PROTOCOL as PROTOCOL
from .result import Kind as Kind
from .result import Replay as Replay
from .result import Result as Result
from .result import StatisticalCheck as StatisticalCheck
from .result import Verdict as Verdict
from .runner import check_ids as check_ids
from .runner import conform as conform
from .vector import Vector as Vector
from .vector import VectorFile as VectorFile

__all__: list[str]
