"""The experiments of Agrawal, Srikant and Thomas 2005: figures 4 to 14."""

from splu_ref.study.olap.experiments import run
from splu_ref.study.olap.level import OLAP_LEVELS, OlapLevel
from splu_ref.study.olap.tables import ADULT, adult, zipf

__all__ = ["ADULT", "OLAP_LEVELS", "OlapLevel", "adult", "run", "zipf"]
