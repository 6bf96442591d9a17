"""Queries on a published table: what is asked, what is counted, and the methods that answer."""
