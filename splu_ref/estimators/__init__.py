"""From a published table to counts in the original, with their error, and tables that add up."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
