"""From an original table to a published one: decoy plans, mechanisms, manifests, streams and Spark."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
