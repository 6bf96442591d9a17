"""Claims about the entropy loss of a release of a small table."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Self

from splu_ref.audit.claims.claim import Claim, Common
from splu_ref.audit.claims.document import WORLD
from splu_ref.audit.claims.fields import Fields, not_negative
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.audit.claims.world_file import WorldFile, read_world
from splu_ref.channels import STEP, EntropyLoss, InputError, LogForm, shown
from splu_ref.guarantees import ExactJson, Progress, decimal_up

MEASURES = {
    "worst": "whatever is released, no record loses more than {bits} bits",
    "expected": "the largest loss of a record is {bits} bits at most, on average over what is released",
    "record": "no record loses more than {bits} bits on average: its mutual information with the release",
    "table": "the whole table loses {bits} bits at most on average: its mutual information with the release",
}
"""What a claim may be about, and in which words."""


@dataclass(frozen=True, kw_only=True)
class EntropyClaim(Claim):
    """A release of the tables of a world has an entropy loss of at most so many bits."""

    kind = "entropy-loss"
    mechanism = WORLD
    required = ("world", "bits")
    optional = ("measure",)
    inherited = ("world",)

    world: WorldFile  # the tables, and what is released of them
    file: str  # name of the world's file, beside the file of claims
    measure: str
    bits: Fraction  # how many bits at most, at least 0

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the world, the measure and the bits."""
        file = fields.text("world")
        if not file or Path(file).name != file:
            fields.refuse(
                "world",
                'world does not name a file in the folder of the claims: write world = "salaries.toml"',
            )
        try:
            world = read_world(Path(fields.document.path).parent / file)
        except InputError as error:
            fields.refuse("world", str(error))
        except OSError as error:
            fields.refuse("world", f"{file}: {error.strerror}: name a file in the same folder")
        measure = fields.choice("measure", tuple(MEASURES)) if "measure" in fields else "worst"
        bits = fields.number("bits", not_negative)
        return cls(**vars(common), world=world, file=file, measure=measure, bits=bits)

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by exact forms: a sum of logarithms is compared with a rational number."""
        del ledger, progress
        losses = self.world.losses()
        found, witness, true_for = self._measured(losses)
        number = ExactJson(fraction=None, decimal=decimal_up(found.narrowed()), digits=12)
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=f"of {self.file}, {MEASURES[self.measure].format(bits=self.said('bits'))}",
            found=f"it is {_loss_text(found)}",
            numbers={"loss": number, "tables": self.world.world.size},
            recompute=f"splu-ref entropy {self.file}",
            without_certificate=(
                "there is no kind of certificate for this: the exact sum of logarithms is the witness"
            ),
            remarks=(witness,) if witness else (),
        )
        if found <= LogForm.of({2: self.bits}):
            return finding
        return replace(
            finding,
            verdict=Verdict.NARROWED if true_for else Verdict.REFUTED,
            true_for=true_for,
            instead=f"{decimal_up(found.narrowed())} bits",
        )

    def _measured(self, losses: EntropyLoss[Hashable]) -> tuple[LogForm, str, str]:
        """Return the number, where it is attained, and of which part of it the claim is true, in words."""
        bound = LogForm.of({2: self.bits})
        if self.measure == "worst":
            worst = max(losses.values, key=lambda each: each.cost)
            within = sum((each.probability for each in losses.values if each.cost <= bound), Fraction(0))
            true_for = f"true for what is released with probability {shown(within)}" if within else ""
            return worst.cost, f"It is largest where {worst.released} is released", true_for
        if self.measure == "record":
            most = max(range(len(losses.records)), key=losses.records.__getitem__)
            true = [str(n + 1) for n, loss in enumerate(losses.records) if loss <= bound]
            true_for = f"true for records {', '.join(true)}" if true else ""
            return losses.records[most], f"It is largest for record {most + 1}", true_for
        return (losses.expected if self.measure == "expected" else losses.whole), "", ""

    def work(self) -> int:
        """Estimate the work of going through the tables, without the draws of a mechanism for each."""
        return 4 * STEP * self.world.world.size * self.world.world.places

    @property
    def size(self) -> str:
        """How many tables there are."""
        return f"{self.world.world.size} tables"


def _loss_text(form: LogForm) -> str:
    decimal, exactly = decimal_up(form.narrowed()), str(form)
    return f"{decimal} bits" if exactly == decimal or len(exactly) > 60 else f"{decimal} bits = {exactly}"
