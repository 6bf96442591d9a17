"""Property suites that hold any implementation of the interfaces to the theory, and the mutants they kill.

A check takes the implementation under test as an argument (`Subject`), so the same check runs on the shipped
code and on deliberately broken variants of it. Sampled checks reject only beyond a significance level
that ``error_budget.json`` allots to them.
"""
