"""Exact sums and enclosures that the proofs measure with, so that what they check is not also the measure."""
