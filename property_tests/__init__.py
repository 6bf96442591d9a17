"""Property suites that test any implementation of the interfaces against the theory, and their mutants.

A check takes the implementation under test as an argument (`Subject`), so the same check runs on the shipped
code and on deliberately broken variants of it. Sampled checks reject only beyond a significance level
that ``error_budget.json`` allots to them.
"""
