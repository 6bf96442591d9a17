"""The experiments of Agrawal, Srikant and Thomas 2005: figures 4 to 14."""

from experiments.study.olap.experiments import run
from experiments.study.olap.level import OLAP_LEVELS, OlapLevel
from splu_proofs.olap.tables import ADULT, adult, zipf

__all__ = ["ADULT", "OLAP_LEVELS", "OlapLevel", "adult", "run", "zipf"]
