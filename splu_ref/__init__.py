"""Reference implementation of small-sum-privacy / large-sum-utility data publishing.

Data flows left to right (microdata, decoy plan, mechanism, published data, estimator, estimate);
promises flow top to bottom (claim, proof, exact computation, certificate).
"""

__version__ = "0.1.0"
SPECIFICATION = "1"
"""Version of the written specification: byte rules, plans, certificates. It moves only when they do."""

__all__ = ["SPECIFICATION", "__version__"]
