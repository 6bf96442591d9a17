"""The papers' experiments and demonstrations on data: run from a checkout, not part of the package."""
