"""Reference implementation of small-sum-privacy / large-sum-utility data publishing.

Data flows left to right (microdata, decoy plan, mechanism, published data, estimator, estimate);
promises flow top to bottom (claim, proof, exact computation, certificate).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
SPECIFICATION = "2"
"""Version of the written specification: byte rules, plans, certificates. It moves only when they do."""
