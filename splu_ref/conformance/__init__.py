"""The conformance protocol for other implementations: vectors, runner and statistical checks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
