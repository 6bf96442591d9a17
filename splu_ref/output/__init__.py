"""Text for terminals, pictures and JUnit files: the only places that write them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
