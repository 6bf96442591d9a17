"""Decision trees of scikit-learn, beside those that are grown from reconstructed counts."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from splu_proofs.olap.tree import DEPTH, SURE
from splu_ref.randomness import IntArray


def library_version() -> str | None:
    """Return the version of scikit-learn, of the extra ``experiments``; None if it is not installed."""
    try:
        return version("scikit-learn")
    except PackageNotFoundError:
        return None


def library_tree(values: IntArray, labels: IntArray) -> Callable[[IntArray], IntArray]:
    """Grow scikit-learn's tree on rows as they are, and return what it says of others.

    Splits by information gain, as many levels at most as here, no leaf of fewer records than `SURE` standard
    errors of a count ask for; ``values`` has shape (columns, records).
    """
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415  an extra, and slow to load

    grown = DecisionTreeClassifier(
        criterion="entropy", max_depth=DEPTH, min_samples_leaf=int(SURE**2), random_state=0
    ).fit(values.T, labels)
    return lambda others: np.asarray(grown.predict(others.T), dtype=np.int64)
