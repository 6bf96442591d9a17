"""One sensitive column in arrays: two-state and per-value matrices, their inverses and likelihoods."""
