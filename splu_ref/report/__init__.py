"""The verification report: what a run of the suite found, on paper, on screen and for machines."""

from splu_ref.report.model import Environment, Level, Row, StatisticalRow, VerificationReport
from splu_ref.report.progress import Progress, Silent
from splu_ref.report.suite import run_suite
from splu_ref.report.terminal import TerminalProgress, print_report, standard_output
from splu_ref.report.writing import check_report_folder, write_report

__all__ = [
    "Environment",
    "Level",
    "Progress",
    "Row",
    "Silent",
    "StatisticalRow",
    "TerminalProgress",
    "VerificationReport",
    "check_report_folder",
    "print_report",
    "run_suite",
    "standard_output",
    "write_report",
]
