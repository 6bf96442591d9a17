"""The verification report: what a run of the suite found, on paper, on screen and for machines."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from splu_ref.report.model import Environment, Level, Row, StatisticalRow, VerificationReport
    from splu_ref.report.progress import Progress, Silent
    from splu_ref.report.suite import run_suite
    from splu_ref.report.terminal import LOG_WIDTH, TerminalProgress, report_view
    from splu_ref.report.writing import check_report_folder, write_report
else:
    from splu_ref.lazy import lazily

    # A page needs neither the suite nor the attacks: importing one of this room's files runs this one.
    __getattr__ = lazily(
        __name__,
        {
            "model": (
                "Environment",
                "Level",
                "Row",
                "StatisticalRow",
                "VerificationReport",
            ),
            "progress": (
                "Progress",
                "Silent",
            ),
            "suite": ("run_suite",),
            "terminal": (
                "LOG_WIDTH",
                "TerminalProgress",
                "report_view",
            ),
            "writing": (
                "check_report_folder",
                "write_report",
            ),
        },
    )

__all__ = [
    "LOG_WIDTH",
    "Environment",
    "Level",
    "Progress",
    "Row",
    "Silent",
    "StatisticalRow",
    "TerminalProgress",
    "VerificationReport",
    "check_report_folder",
    "report_view",
    "run_suite",
    "write_report",
]
