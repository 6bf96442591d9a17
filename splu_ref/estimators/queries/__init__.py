"""Queries on a published table: conditions, counts and estimation methods."""
