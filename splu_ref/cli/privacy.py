"""``splu-ref privacy``: the exact level of small-sum privacy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from splu_ref.channels import CertificateError, GroupDraws, ParameterError, integer, one_budget, probability
from splu_ref.cli.certificates import CertificateFile, certified, setting, words
from splu_ref.cli.dependent_draws import (
    DrawsOption,
    PlanOption,
    SeedOption,
    SensitiveOption,
    TableOption,
    answer_for_a_table,
    answer_for_privacy,
    counts_of_table,
    star_json,
    star_line,
    trade_off_line,
)
from splu_ref.cli.output import (
    AsJson,
    EpsilonOption,
    Explain,
    Force,
    JsonFile,
    RetentionOption,
    refuse_existing_json,
)
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import (
    Answer,
    GammaOption,
    ManifestOption,
    ReleaseParameters,
    release_parameters,
    require_one,
    show_answers,
)
from splu_ref.data import refuse_existing
from splu_ref.guarantees import (
    PrivacyMinimum,
    Progress,
    is_plain_up_to,
    minimax_error_bounds,
    privacy_minimum,
)

if TYPE_CHECKING:
    from splu_ref.guarantees import Certificate

EXAMPLE = "splu-ref privacy --gamma 10 --epsilon 0.3 --alpha 3 --certificate t_p.json"


@one_budget()
def run(
    *,
    gamma: GammaOption = None,
    manifest: ManifestOption = None,
    epsilon: EpsilonOption,
    alpha: Annotated[str, typer.Option("--alpha", help="Largest count that is to be protected.")],
    at_least: Annotated[
        str | None, typer.Option("--at-least", help="Exit 1 if T_P (Definition 2) is smaller than this.")
    ] = None,
    releases: Annotated[
        str,
        typer.Option(
            "--releases", help="Number of releases of the table, with independent draws, that are averaged."
        ),
    ] = "1",
    retention: RetentionOption = None,
    draws: DrawsOption = None,
    table: TableOption = None,
    sensitive: SensitiveOption = None,
    plan: PlanOption = "mixed",
    seed: SeedOption = None,
    certificate: CertificateFile = None,
    json_file: JsonFile = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Compute T_P: the probability with which every count up to alpha is published wrongly.

    Two forms: Theorem 4 counts errors above epsilon f, Definition 2 errors of epsilon f or more. Both are for
    the published count f' as the estimate; T_P* is the minimax value: every estimator from f' is wrong with
    at least this probability for some count. With --releases R the estimate is the mean of R published
    counts, and T_P collapses as R grows. Releases under the same key count as one. A larger --retention makes
    counts more accurate and T_P smaller. With --draws other than independent, T_P is the least over all
    tables; counts above the law's bound depend on the table, and if that leaves --at-least undecided the exit
    code is 3. With --table, T_P of its values is computed as well. With --manifest, the answer covers every
    sensitive column of a release, and --at-least applies to all.
    """
    wanted = None if at_least is None else probability(at_least, "--at-least")
    times = integer(releases, "--releases", 1)
    refuse_existing_json(json_file, force=force)
    if certificate is not None:
        refuse_existing(certificate, force=force)
    cases = release_parameters(manifest, gamma, retention, draws)
    require_one(cases, certificate)
    if manifest is not None and (table is not None or sensitive is not None):
        raise ParameterError("--table and --manifest exclude each other: leave out one of them")
    minima: list[PrivacyMinimum | None] = []
    answers, judged = [], []
    for case in cases:
        law = case.draws
        if law.bound is not None and case.retention is not None:
            raise ParameterError(f"draws {law} have retention 1/gamma: leave out --retention")
        counts = counts_of_table(table, sensitive, case.gamma, law, plan, seed)
        least, result, lines, holds = _least(case, epsilon, alpha, times, wanted)
        if counts:
            result["table"], more = answer_for_a_table(counts, epsilon, alpha)
            lines += more
        if law.bound is not None:
            lines.append(trade_off_line(law, int(str(result["gamma"]))))
        if wanted is not None:
            verdict = {True: "holds", False: "does not hold", None: "inconclusive: depends on the table"}
            lines.insert(0, (f"at least {at_least}", verdict[holds]))
        minima.append(least)
        answers.append(Answer(case, result, lines))
        judged.append(holds)
    every = False if False in judged else None if None in judged else True

    def make(progress: Progress) -> Certificate:
        from splu_ref.guarantees import privacy_certificate, rare_privacy_certificate  # noqa: PLC0415

        [case], [least] = cases, minima
        if case.draws.name == "all-or-none":
            if times > 1:
                raise CertificateError(f"there is no certificate of several releases with draws {case.draws}")
            return rare_privacy_certificate(case.gamma, epsilon, alpha, case.draws, progress=progress)
        return privacy_certificate(
            case.gamma, epsilon, alpha, times, retention=case.retention, draws=case.draws, minimum=least,
            progress=progress,
        )  # fmt: skip

    with certified(certificate, make, answers[-1].lines, force=force):
        show_answers(answers, as_json=as_json, file=json_file, force=force, holds=every)
    if wanted is not None and every is None:
        return 3
    return 1 if every is False else 0


def _least(
    case: ReleaseParameters, epsilon: str, alpha: str, times: int, wanted: Fraction | None
) -> tuple[PrivacyMinimum | None, dict[str, object], list[tuple[str, str]], bool | None]:
    """Return T_P, T_P and T_P* as JSON and lines, and whether T_P is at least ``wanted``."""
    law, most = case.draws, integer(alpha, "alpha", 1)
    case.require_one_law(most, "an --alpha")
    least: PrivacyMinimum | None = None
    with counted("visiting plateaus") as progress:
        if is_plain_up_to(law, most):
            least = privacy_minimum(
                case.gamma, epsilon, alpha, times, retention=case.retention, progress=progress
            )
            result, lines, holds = _answer(least, law, wanted)
        else:
            result, lines, holds = answer_for_privacy(case.gamma, epsilon, alpha, law, times, wanted)
        star = minimax_error_bounds(case.gamma, epsilon, alpha, retention=case.retention, draws=law)
    lines.insert(2, star_line(star, times))
    return least, result | {"draws": str(law), "t_p_star": star_json(star), "table": None}, lines, holds


def _answer(
    least: PrivacyMinimum, draws: GroupDraws, wanted: Fraction | None
) -> tuple[dict[str, object], list[tuple[str, str]], bool | None]:
    """Return T_P as JSON and lines, and whether it is at least ``wanted``."""
    law, times = least.law, least.releases
    t_p, t_p_definition = least.t_p.json("down"), least.t_p_definition.json("down")
    holds = None if wanted is None else least.t_p_definition.compare(wanted, "--at-least") >= 0
    result: dict[str, object] = {
        "gamma": int(law.gamma),
        "epsilon": str(least.epsilon),
        "alpha": least.alpha,
        "releases": times,
        "retention": str(law.retention),
        "t_p": t_p,
        "t_p_at_most": None,
        "t_p_definition": t_p_definition,
        "t_p_definition_at_most": None,
        "argmin": least.argmin,
        "argmin_definition": least.argmin_definition,
        "holds": holds,
    }
    estimate = "published count" if times == 1 else f"mean of {times} independent published counts"
    dependent = "" if draws.bound is None else f" and draws {draws}"
    meaning = (
        f"with {setting(law)}{dependent}, the {estimate} of any value with 1 to {least.alpha} records is off "
        f"by at least {least.epsilon} of it with at least the first probability"
    )
    lines = [
        ("T_P, Definition 2", f"{words(t_p_definition)}, least at f = {least.argmin_definition}"),
        ("T_P, Theorem 4", f"{words(t_p)}, least at f = {least.argmin}"),
        ("in words", meaning),
    ]
    return result, lines, holds
