from .claims import MAKE_CERTIFICATES as MAKE_CERTIFICATES
from .claims import AuditedClaim as AuditedClaim
from .claims import ClaimsAudit as ClaimsAudit
from .claims import check_claims_folder as check_claims_folder
from .claims import claims_table as claims_table
from .claims import write_claims_audit as write_claims_audit
from .conformance_page import conformance_html as conformance_html
from .html import calculator_page as calculator_page
from .model import Environment as Environment
from .model import Level as Level
from .model import Row as Row
from .model import StatisticalRow as StatisticalRow
from .model import VerificationReport as VerificationReport
from .progress import NoProgress as NoProgress
from .progress import Progress as Progress
from .suite import run_suite as run_suite
from .terminal import LOG_WIDTH as LOG_WIDTH
from .terminal import TerminalProgress as TerminalProgress
from .terminal import report_view as report_view
from .writing import check_report_folder as check_report_folder
from .writing import write_report as write_report

__all__: list[str]
