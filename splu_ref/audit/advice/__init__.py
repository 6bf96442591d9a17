"""Advice for publishers: privacy, accuracy and disclosure risks of each feasible gamma and p."""
