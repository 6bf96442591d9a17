"""Test vectors for other implementations, and the runner that holds a program to them."""

from splu_ref.conformance.answering import all_answered, answered
from splu_ref.conformance.coverage import Share, read_required, spoken, whole
from splu_ref.conformance.expectations import read_expected_failures
from splu_ref.conformance.folder import differences, held, read_vectors, vector_files, write_vectors
from splu_ref.conformance.outcome import Conformance
from splu_ref.conformance.program import Limits
from splu_ref.conformance.reference import answer, answer_line
from splu_ref.conformance.result import Kind, Replay, Result, StatisticalCheck, Verdict
from splu_ref.conformance.runner import check_ids, conform
from splu_ref.conformance.vector import Vector, VectorFile

__all__ = [
    "Conformance",
    "Kind",
    "Limits",
    "Replay",
    "Result",
    "Share",
    "StatisticalCheck",
    "Vector",
    "VectorFile",
    "Verdict",
    "all_answered",
    "answer",
    "answer_line",
    "answered",
    "check_ids",
    "conform",
    "differences",
    "held",
    "read_expected_failures",
    "read_required",
    "read_vectors",
    "spoken",
    "vector_files",
    "whole",
    "write_vectors",
]
