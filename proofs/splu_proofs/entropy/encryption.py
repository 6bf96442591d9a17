"""entropy.ENC: by entropy, an encrypted table is a published one."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from splu_ref.channels import Channel, LogForm, World, entropy_loss

from ..terms import Claim, Comparisons, Grade, Status

ENC = Claim(
    id="entropy.ENC",
    module=__name__,
    source="Chirayath et al. 2006, §4",
    title="an encrypted table with its public key is a total loss",
    statement=(
        r"D \text{ follows from } S \;\Longleftrightarrow\; I(D; S) = H(D),\qquad "
        r"D \text{ follows from } S \;\Longrightarrow\; H(X_i) - H'(X_i) = H(X_i) \text{ for all } i, s"
    ),
    words=(
        "True. With a public key everybody can encrypt every table and compare, so the table follows from "
        "what is published, whatever work it takes; entropy counts no work. The same holds where encryption "
        "draws coins, as long as no two tables share a ciphertext. It is not so for a key that stays secret "
        "and is as long as the table: then every table has the same law of ciphertexts, and nothing is lost."
    ),
    hypotheses=(r"S \text{ the ciphertext; the public key is known}",),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="two bits, every function of their tables",
    rests_on=("entropy.D2",),
)

TABLES = tuple(product((0, 1), repeat=2))
WORLD = World.independent([{1: Fraction(1, 3), 0: Fraction(2, 3)}, {1: Fraction(1, 5), 0: Fraction(4, 5)}])


@ENC.computation(
    cases=144,
    perturbed=(
        "splu_ref.channels.information:entropy_loss larger",
        "cipher = dict(zip(TABLES, shuffled, strict=True)) => cipher = dict.fromkeys(TABLES, shuffled[0])",
    ),
)
def every_bijection() -> Comparisons:
    """Encrypt two bits of chances 1/3 and 1/5 by each of the 24 permutations of their tables."""
    for shuffled in permutations(TABLES):
        cipher = dict(zip(TABLES, shuffled, strict=True))
        found = entropy_loss(WORLD, WORLD.release(cipher.__getitem__).laws.__getitem__)
        for each in found.values:
            yield (each.records, "=", found.entropies, f"{shuffled}: not all is lost")
        yield (found.records, "=", found.entropies, f"{shuffled}: the means are not total")
        yield (found.whole, "=", found.entropies[0] + found.entropies[1], f"{shuffled}: not H(D)")


@ENC.computation(
    cases=256,
    perturbed=(
        "splu_ref.channels.information:entropy_loss larger",
        "splu_proofs.entropy.encryption:sum_of larger",
        "found.whole == whole => found.whole <= whole",
    ),
)
def every_other_function() -> Comparisons:
    """Publish each of the 256 functions of the four tables to four names: total only where none is shared."""
    whole = sum_of(entropy_loss(WORLD, lambda table: {table: 1}).entropies)
    for names in product(range(4), repeat=4):
        read = dict(zip(TABLES, names, strict=True))
        found = entropy_loss(WORLD, WORLD.release(read.__getitem__).laws.__getitem__)
        yield ((found.whole == whole), "=", (len(set(names)) == 4), f"{names}: a loss of {found.whole}")


@ENC.computation(cases=17, perturbed="splu_ref.channels.logarithms:LogForm.of larger")
def coins_and_secret_keys() -> Comparisons:
    """Encryption with coins and disjoint ciphertexts loses all; a one-time pad loses nothing."""
    half = Fraction(1, 2)
    coined = Channel(
        {table: {(table, coin): half for coin in (0, 1)} for table in TABLES}, tuple(product(TABLES, (0, 1)))
    )
    found = entropy_loss(WORLD, coined.laws.__getitem__)
    for each in found.values:
        yield (each.records, "=", found.entropies, "coins hide something")
    padded = Channel(
        {
            table: {
                tuple(bit ^ key for bit, key in zip(table, keys, strict=True)): half**2 for keys in TABLES
            }
            for table in TABLES
        },
        TABLES,
    )
    hidden = entropy_loss(WORLD, padded.laws.__getitem__)
    yield (hidden.whole, "=", LogForm({}), "the pad shows something")
    for padded_loss in hidden.values:
        for loss in padded_loss.records:
            yield (loss, "=", LogForm({}), "a record loses")


def sum_of(forms: tuple[LogForm, ...]) -> LogForm:
    """Return the sum of entropies, which is that of independent records together."""
    return LogForm.sum((Fraction(1), form) for form in forms)
