"""Tables in and out: CSV, Parquet and data frames, columns as integer codes, recoding, safe files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
