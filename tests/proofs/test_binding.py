"""Proofs are bound to code: meaning alters a fingerprint, layout does not, and a change is detected."""

import ast
import copy
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

from splu_proofs import LEDGER, binding, plain_code, reach
from splu_proofs import ledger as ledger_module
from splu_proofs.affirmation import ACCEPTED_ON, NAME, affirm, affirmed, outdated
from splu_proofs.binding import MACHINERY, USED, fingerprints, licensed
from splu_proofs.claim import Claim
from splu_proofs.kernel import ACCEPTED_BY
from splu_proofs.ledger import Ledger
from splu_proofs.normal_form import is_text, normal_form
from splu_ref.channels.parameters import InputError

ALL_PAPERS = tuple(f"splu_proofs.{paper}" for paper in ("splu", "rastogi", "entropy", "chaytor", "olap"))
"""Claims of one paper rest on those of others."""

SAMPLE = '''
"""A module."""
LIMIT: int = 3

def helper(x):
    return x + LIMIT

def shown(value, *, width=8, **rest):
    """A docstring."""
    text = f"{value!r:>{width}} of {{{LIMIT}}}" "!"  # a comment
    return {**rest, "text": text, 1.5: helper(value)[::2], **{}}

def other(x):
    return x
'''
NAMES = sorted(
    {
        name
        for known in affirmed().values()
        for name in known
        if not name.endswith(".v") and name not in (MACHINERY, USED, ACCEPTED_BY, ACCEPTED_ON)
    }
)
"""What some claim is bound to: `outdated` compares these names with what `fingerprints` finds, in seconds."""
OTHER = """
from elsewhere import wheel

def estimate(count):
    return wheel(count)

def wheel(count):
    return count + 1

def reserve(count):
    return count
"""
USER = """
from sample.other import estimate, reserve

def answer(count):
    return estimate(count)

def unrelated(count):
    return reserve(count)
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]) -> Callable[..., str]:
    """Return what writes modules of a package and gives the fingerprint of a name of the first of them."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(reach, "PACKAGES", ("sample",))
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "__init__.py").touch()

    def written(text: str, name: str | None = None, **others: str) -> str:
        for stem, each in {"main": text, **others}.items():
            (folder / f"{stem}.py").write_text(each)
        fresh()
        return reach.fingerprint([("sample.main", name)], ("sample",))

    return written


def test_the_normal_form_is_the_same_on_every_python() -> None:
    # computed once and committed: another Python that disagrees would call every proof outdated
    digest = sha256(normal_form([ast.parse(SAMPLE)]).encode()).hexdigest()
    assert digest == "d02d66fe02dfc4f2e06a9198a06390f09f922cb4e11e3bda5598d1e84054559b"


@pytest.mark.parametrize(
    "same",
    [
        SAMPLE.replace("  # a comment", ""),
        SAMPLE.replace('    """A docstring."""\n', ""),
        SAMPLE.replace('"""A module."""', '"""Another text."""'),
        SAMPLE.replace("return x + LIMIT", "return (\n        x\n        + LIMIT  # sum\n    )"),
        SAMPLE.replace(
            '''f"{value!r:>{width}} of {{{LIMIT}}}" "!"''', """f'{value!r:>{width}} of {{{LIMIT}}}!'"""
        ),
        SAMPLE.replace("(value, *, width=8, **rest)", "(\n    value,\n    *,\n    width=8,\n    **rest,\n)"),
        SAMPLE.replace("    ", "  "),
    ],
)
def test_layout_comments_and_docstrings_do_not_matter(same: str, write: Callable[..., str]) -> None:
    assert same != SAMPLE
    assert write(same) == write(SAMPLE)
    assert write(same, "shown") == write(SAMPLE, "shown")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("width=8", "width=9"),
        ("!r:", "!s:"),
        (" of {{", " or {{"),
        ("::2", "::3"),
        ("1.5", "1"),
        ("**rest", "**kept"),
        ('text": text', 'text": value'),
        ("x + LIMIT", "x - LIMIT"),  # in a function that is used
        ("LIMIT: int = 3", "LIMIT: int = 4"),  # in a constant that is used by a function that is used
        (", **{}}", "}"),
    ],
)
def test_every_change_of_meaning_matters(old: str, new: str, write: Callable[..., str]) -> None:
    assert old in SAMPLE
    assert write(SAMPLE.replace(old, new), "shown") != write(SAMPLE, "shown")


def test_what_is_not_used_does_not_matter(write: Callable[..., str]) -> None:
    changed = SAMPLE.replace("    return x\n", "    return -x\n")
    assert write(changed, "shown") == write(SAMPLE, "shown")
    assert write(changed) != write(SAMPLE)


@pytest.mark.parametrize(
    "more",
    [
        "def helper(x):\n    return x\n",  # a second definition counts, the first does not
        "if True:\n    def helper(x):\n        return x\n",
        "if LIMIT:\n    pass\nelif True:\n    helper = abs\n",
        "for helper in (abs,):\n    pass\n",
        "try:\n    helper = abs\nfinally:\n    pass\n",
        "with open(__file__) as helper:\n    pass\n",
        "match abs:\n    case helper:\n        pass\n",
        "from operator import neg as helper\n",
        "from operator import *\n",
        "import math as LIMIT\n",
        "def late():\n    global helper\n    helper = abs\n",
        "helper.__code__ = other.__code__\n",
        "globals()['helper'] = other\n",
        "setattr(helper, '__code__', other.__code__)\n",
        "del helper\n",
        "def __getattr__(name):\n    return other\n",
        "helper = [other := helper][0]\n",
    ],
)
def test_whatever_binds_a_used_name_again_matters(more: str, write: Callable[..., str]) -> None:
    assert write(SAMPLE + "\n" + more, "shown") != write(SAMPLE, "shown")


def test_swapped_imports_matter(write: Callable[..., str]) -> None:
    before = write(USER, "answer", other=OTHER)
    swapped = USER.replace("import estimate, reserve", "import estimate as reserve, reserve as estimate")
    assert write(swapped, "answer", other=OTHER) != before
    assert (
        write(USER.replace("sample.other", "sample.another"), "answer", other=OTHER, another=OTHER) != before
    )
    assert write(USER.replace("estimate, reserve", "reserve, estimate"), "answer", other=OTHER) == before


@pytest.mark.parametrize(
    ("old", "new", "matters"),
    [
        ("count + 1", "count + 2", True),  # used by what is imported
        ("return count\n", "return -count\n", False),  # imported, but not used by this name
        ("elsewhere", "nowhere", True),  # an import that what is imported would use
    ],
)
def test_what_an_import_reaches_matters(old: str, new: str, matters: bool, write: Callable[..., str]) -> None:
    before = write(USER, "answer", other=OTHER)
    assert (write(USER, "answer", other=OTHER.replace(old, new)) != before) is matters


def test_imports_within_a_function_of_a_whole_module_and_of_a_room_are_followed(
    write: Callable[..., str],
) -> None:
    inside = USER.replace("    return estimate", "    from sample.other import estimate\n    return estimate")
    whole = "import sample.other as other\n\ndef answer(count):\n    return other.estimate(count)\n"
    relative = "from . import other\n\ndef answer(count):\n    return other.estimate(count)\n"
    room = "from .room import estimate as answer\n"
    opened = "from sample.other import estimate\n"
    for text in (inside, whole, relative, room):
        before = write(text, "answer", other=OTHER, room=opened)
        assert write(text, "answer", other=OTHER.replace("+ 1", "+ 2"), room=opened) != before


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        ("_READY = setattr(abs, 'x', 1)\n", True),
        ("@print\ndef unused():\n    pass\n", True),
        ("class Unused:\n    print()\n", True),
        ("from sample import patch as _unused\n", True),
        ("X = Claim(title=print() or 'A title')\n", True),
        ("X = Claim(title=(found := 'A title'))\n", True),
        ("X = Claim(title=[each for each in 'A title'])\n", True),
        ("X = Claim(title=lambda: 'A title')\n", True),
        ("X = Claim(title=f'A {LIMIT}' + 'title', kernel=Kernel(leaves='nothing'))\n", False),
        ("helper = Claim(title='A title')\n", True),  # it was bound above
        ("X = Y = Claim(title='A title')\n", True),
        ("round = Claim(title='A title')\n", True),  # one of Python's own
        ("# def helper(_=print()): pass\n", False),
    ],
)
def test_whatever_an_evidence_module_does_when_it_is_imported_matters(
    more: str, seen: bool, write: Callable[..., str]
) -> None:
    write(SAMPLE, patch="print()\n")
    describing = frozenset({"Claim", "Kernel"})
    before = reach.without_calls("sample.main", describing), reach.imported("sample.main", "sample")
    write(SAMPLE + more, patch="print()\n")
    after = reach.without_calls("sample.main", describing), reach.imported("sample.main", "sample")
    assert (before != after) is seen


def test_a_text_that_python_might_not_run_is_refused(write: Callable[..., str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"main\.py declares the encoding iso-8859-1: write it in UTF-8"):
        write("# coding: latin-1\n" + SAMPLE)
    with pytest.raises(InputError, match=r"main\.py ends a line in another way than by a line feed"):
        write("X = 1\r# coding: latin-1\n" + SAMPLE)
    for end in "\x0c\x1d\u2028":
        with pytest.raises(InputError, match=r"main\.py has a character that some programs take for the end"):
            write(f"# a comment{end}X = 1\n" + SAMPLE)
    write(SAMPLE.replace("\n", "\r\n"))
    other = tmp_path / "sample" / "main"
    other.mkdir()
    for compiled in (
        other.with_suffix(EXTENSION_SUFFIXES[0]),
        other.with_suffix(".pyc"),
        other / "__init__.pyc",
    ):
        compiled.touch()
        with pytest.raises(InputError, match=r"sample\.main is compiled as well"):
            write(SAMPLE)
        compiled.unlink()
    (other / "__init__.py").touch()
    with pytest.raises(InputError, match=r"sample\.main is both a file and a folder"):
        write(SAMPLE)


def test_what_is_fingerprinted_is_what_the_files_contain(fresh: Callable[[], None]) -> None:
    fresh()
    folder = Path(binding.__file__).parent
    files = [each for each in folder.rglob("*.py") if each.stem != "__init__"]
    assert len(files) > 130
    for file in files:
        text = file.read_bytes().decode()
        module = ".".join((*file.relative_to(folder.parent).parent.parts, file.stem))
        assert reach.source_of(module) == reach.text_of(file) == text
        parts = [part.statement for part in reach._parts(module)]
        whole = [each for each in ast.parse(text).body if not isinstance(each, ast.Import | ast.ImportFrom)]
        assert {ast.dump(each) for each in parts} >= {
            ast.dump(each) for each in whole if not is_text(each) and not isinstance(each, ast.If)
        }


def test_a_folder_of_proofs_does_nothing_when_it_is_imported(write: Callable[..., str]) -> None:
    allowed = frozenset({"PAPER", "MODULES"})
    for text, alone in {
        '"""A paper."""\nPAPER = "A"\nMODULES = ("a", "b")\n': True,
        'PAPER = "A"\nprint()\n': False,
        "MODULES = tuple(['a'])\n": False,
        "OTHER = 1\n": False,
        "[print()][1:] = ()\n": False,
        "MODULES = [][print():] = ()\n": False,
        "print().PAPER = 1\n": False,
    }.items():
        write(text)
        assert reach.names_only("sample.main", allowed) is alone


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("proofs/gmpy2.py", True),
        ("proofs/org/python/core.py", True),
        ("gmpy2.py", True),
        ("org/core.py", True),
        ("proofs/gmpy2/pyvenv.cfg", True),
        ("aaa-1.dist-info/entry_points.txt", True),
        ("aaa.egg-info/entry_points.txt", True),
        ("splu_ref.egg-info/entry_points.txt", True),
        ("z3.pyc", True),
        ("proofs/splu_proofs/coq/GNUmakefile", True),
        ("z3/__init__.pyc", True),
        ("proofs/splu_proofs/splu/__init__.pyi", True),
        ("venv/lib/other.py", False),
        ("report/page.html", False),
        ("build/lib/other.py", False),
    ],
)
def test_nothing_else_is_imported_from_a_checkout(
    path: str, refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]
) -> None:
    folder = tmp_path / "proofs" / "splu_proofs"
    shutil.copytree(Path(binding.__file__).parent, folder, ignore=shutil.ignore_patterns("*.vo*", "*.glob"))
    monkeypatch.setattr(binding, "__file__", str(folder / "binding.py"))
    fresh()
    binding.require_known_files()
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).touch()
    with pytest.raises(InputError, match="stands in known folders: remove ") if refused else nullcontext():
        binding.machinery() if refused else binding.require_known_files()


def test_a_name_that_is_not_defined() -> None:
    with pytest.raises(InputError, match=r"splu_proofs\.arithmetic\.law does not define missing"):
        licensed("splu_proofs.arithmetic.law:missing")
    with pytest.raises(InputError, match=r"there is no module splu_proofs\.lore"):
        licensed("splu_proofs.lore:window")


@pytest.mark.parametrize("bound", NAMES[::3])
def test_every_bound_name_survives_relayout_and_notices_a_change(
    bound: str, monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]
) -> None:
    module, _, name = bound.partition(":")
    tree = ast.parse(reach.source_of(module))

    def alone(text: str | None = None) -> str:
        fresh()
        if text is not None:
            monkeypatch.setattr(reach, "source_of", lambda _: text)
        return reach.fingerprint([(module, name or None)], ())

    monkeypatch.setattr(reach, "_imported", lambda *_: ())
    before = alone()
    assert alone(ast.unparse(tree)) == before
    changed = 0
    for altered in _alterations(tree, name):
        assert alone(ast.unparse(altered)) != before
        changed += 1
    assert changed >= 1


@pytest.mark.parametrize(
    ("claim_id", "module", "old", "new", "changed"),
    [
        ("splu.T3c", "splu_proofs.arithmetic.law", "comb(n, k)", "comb(n, n - k)", True),
        ("splu.T3", "splu_proofs.printed.theorem3", "frequency**2", "frequency * frequency", True),
        ("splu.B", "splu_proofs.worlds.shipped", "return ", "return 0 + ", True),
        ("splu.T3", "splu_proofs.splu.theorem3", "the printed bound of", "a printed bound of", True),
        (
            "splu.T3",
            "splu_proofs.splu.theorem3",
            "The printed proof",
            "A printed proof",
            False,
        ),  # recorded itself
        ("splu.T3", "splu_proofs.check", "return count", "return 1 * count", False),
        ("splu.T3", "splu_proofs.worlds.shipped", "return ", "return 0 + ", False),
    ],
)
def test_evidence_is_bound_to_all_that_it_uses_of_the_proofs(
    claim_id: str, module: str, old: str, new: str, changed: bool,
    monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None],
) -> None:  # fmt: skip
    claim, genuine = LEDGER.get(claim_id), reach.source_of
    before = binding.evidence_code(claim)
    assert old in genuine(module)
    fresh()
    monkeypatch.setattr(
        reach, "source_of", lambda name: genuine(name).replace(old, new) if name == module else genuine(name)
    )
    assert (binding.evidence_code(claim) != before) is changed
    evidence = [*claim.asserts, *claim.derivations, *claim.flaws, *claim.refutations, *claim.checks]
    assert len(before) == 1 + len(evidence)


@pytest.mark.parametrize(
    ("claim_id", "module"),
    [
        ("splu.B", "splu_ref.channels.binomial"),
        ("splu.T3c", "splu_ref.guarantees.concentration"),
        ("splu.T3c", "splu_ref.channels.binomial_bounds"),
        ("splu.L1c", "splu_ref.guarantees.minimum_error"),
        ("splu.L1c", "splu_ref.guarantees.certificates.claims"),
        ("splu.L1c", "splu_ref.certificate_checker"),
        ("splu.L2", "splu_ref.guarantees.minimum_error"),
        ("splu.L2", "splu_ref.certificate_checker"),
        ("splu.Sp", "splu_ref.guarantees.certificates.form"),
        ("splu.T2", "splu_ref.channels.published_count"),
    ],
)
def test_what_a_claim_licenses_is_followed_to_what_it_computes_with(claim_id: str, module: str) -> None:
    places = [(name, inside or None) for name, _, inside in
              (each.partition(":") for each in LEDGER.get(claim_id).licenses)]  # fmt: skip
    assert module in reach.reached(places)


def test_the_machinery_binds_every_claim(monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]) -> None:
    before, genuine = fingerprints(LEDGER.get("splu.E1")), reach.source_of
    modules = ("recheck", "step", "degree", "derivation", "ledger", "affirmation", "coq_run", "__main__")
    for module in (*(f"splu_proofs.{each}" for each in modules), "splu_proofs", "splu_ref.cli.claims"):
        fresh()
        with monkeypatch.context() as patched:
            patched.setattr(
                reach, "source_of",
                lambda name, m=module: genuine(name) + "\nX = 1\n" * (name == m),
            )  # fmt: skip
            after = fingerprints(LEDGER.get("splu.E1"))
        assert {name for name in before if before[name] != after[name]} == {MACHINERY}, module


def test_a_docstring_counts_with_its_place(write: Callable[..., str]) -> None:
    write('def first():\n    """One."""\n\ndef second():\n    return 1\n')
    before = reach.texts("sample.main")
    write('def first():\n    return 0\n\n"""One."""\ndef second():\n    return 1\n')
    assert [each.partition(" ")[2] for each in before] == ["'One.'"]
    assert before != reach.texts("sample.main")


def test_a_stub_and_its_package_are_read_apart(write: Callable[..., str], tmp_path: Path) -> None:
    room = tmp_path / "sample" / "room"
    room.mkdir()
    (room / "__init__.pyi").write_text("'''")
    (room / "__init__.py").write_text("print()\n# '''\n")
    with pytest.raises(SyntaxError, match="unterminated"):
        write("from sample.room import x\n")


def test_what_the_library_runs_on_import_and_the_list_of_theorems_belong_to_the_machinery(
    monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]
) -> None:
    before, genuine = binding.machinery(), reach.text_of
    fresh()
    with monkeypatch.context() as patched:
        patched.setattr(
            binding, "text_of",
            lambda path: genuine(path) + "print()\n" * (path.parent.name == "stages"),
        )  # fmt: skip
        assert binding.machinery() != before
    fresh()
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"\n" * (path.name == "Assumptions.v"))
    assert binding.machinery() != before


def test_the_library_that_the_evidence_uses_binds_the_claim(
    monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]
) -> None:
    before, genuine = fingerprints(LEDGER.get("splu.L2g")), reach.source_of  # it licenses nothing
    fresh()
    monkeypatch.setattr(
        reach, "source_of",
        lambda name: genuine(name).replace("gamma", "gama") if name == "splu_ref.guarantees.privacy" else
        genuine(name),
    )  # fmt: skip
    after = fingerprints(LEDGER.get("splu.L2g"))
    assert {name for name in before if before[name] != after[name]} == {USED}


@pytest.mark.parametrize("claim", list(LEDGER), ids=lambda claim: claim.id)
def test_an_alteration_of_anything_bound_makes_the_proof_outdated(claim: Claim, tmp_path: Path) -> None:
    path = tmp_path
    assert outdated(claim, path).startswith("proof never affirmed")
    affirm(claim, path, reason="A test.", measured={})
    assert outdated(claim, path) == ""
    file = path / claim.id.partition(".")[0] / NAME
    text, bound = file.read_text(), affirmed(path)[claim.id]
    for name, digest in bound.items():
        key = name if name.isidentifier() else f'"{name}"'
        assert text.count(f'{key} = "{digest}"') == 1
        text = text.replace(f'{key} = "{digest}"', f'{key} = "{"0" * 32}"')
    file.write_text(text)
    assert outdated(claim, path) == (
        f"proof outdated, changed: {', '.join(sorted(bound))}; check it and run splu-ref claims {claim.id} "
        "--reaffirm --reason TEXT"
    )


def test_an_outdated_claim_fails_until_it_is_reaffirmed(tmp_path: Path) -> None:
    path = tmp_path
    ledger = Ledger(ALL_PAPERS, {}, {}, path)
    for call in (ledger.run, partial(ledger.reaffirm, reason="A test.")):
        with pytest.raises(InputError, match=r"no affirmed claim, so no proof is imported; .* --changes new"):
            call("splu.E1")
    assert ledger.reaffirm("splu.E1", reason="A test.", changes=["new"]) == {"splu.E1": {}}
    assert ledger.run("splu.E1")[0].passed
    assert "proof never affirmed" in ledger.run("splu.E2")[0].message
    with pytest.raises(InputError, match="never affirmed: if it is a new claim, add --changes new"):
        ledger.reaffirm("splu.E2", reason="A test.")
    assert list(affirmed(path)) == ["splu.E1"]


@pytest.mark.parametrize(
    ("module", "old", "new", "refused"),
    [
        ("splu_proofs.splu.theorem3", "import annotations\n", "import annotations\nX = 1\n", True),
        (
            "splu_proofs.worlds.histograms",
            "import annotations\n",
            "import annotations\nX = 1\n",
            True,
        ),  # imported by others
        ("splu_proofs.splu.theorem3", '"""', '"""Another text. ', True),
        (
            "splu_proofs.splu.theorem3",
            "import annotations\n",
            "import annotations\nfrom ..arithmetic import poisson\n",
            True,
        ),
        ("splu_proofs.splu.theorem3", "import annotations\n", "import annotations  # a comment\n", False),
        ("splu_proofs.splu.theorem3", "The printed proof", "A printed proof", False),  # what the claim says
    ],
)
def test_no_proof_is_imported_while_a_text_is_not_as_it_was_affirmed(
    module: str, old: str, new: str, refused: bool,
    monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None],
) -> None:  # fmt: skip
    genuine, imports = reach.source_of, list[str]()
    assert old in genuine(module)
    for part in (reach, binding, plain_code):
        monkeypatch.setattr(
            part, "source_of",
            lambda name: genuine(name).replace(old, new, 1) if name == module else genuine(name),
        )  # fmt: skip
    kept = ledger_module._proof

    def proof(name: str) -> ModuleType:
        imports.append(name)
        return kept(name)

    monkeypatch.setattr(ledger_module, "_proof", proof)
    fresh()
    refusal = pytest.raises(InputError, match="evidence changed since it was affirmed, so no proof")
    with refusal if refused else nullcontext():
        len(Ledger(ALL_PAPERS, {}, {}))
    assert bool(imports) is not refused
    fresh()
    assert len(Ledger(ALL_PAPERS, {}, {})._load(["evidence"])) == len(LEDGER)


def test_a_record_in_another_folder_is_refused(tmp_path: Path) -> None:
    affirm(LEDGER.get("rastogi.DN"), tmp_path, reason="A test.", measured={})
    assert list(affirmed(tmp_path)) == ["rastogi.DN"]
    (tmp_path / "rastogi").rename(tmp_path / "worlds")
    with pytest.raises(InputError, match=r"rastogi\.DN stands in worlds/affirmed\.toml: move it back"):
        affirmed(tmp_path)


def test_a_name_that_is_gone_makes_the_proof_outdated(tmp_path: Path) -> None:
    path = tmp_path
    claim = LEDGER.get("splu.E1")
    affirm(claim, path, reason="A test.")
    moved = replace(claim, licenses=("splu_ref.channels.parameters:Moved",))
    assert "splu_ref.channels.parameters does not define Moved" in outdated(moved, path)


def test_evidence_that_fails_is_not_affirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(ALL_PAPERS, {}, {}, tmp_path)
    monkeypatch.setattr("splu_proofs.splu.example1.decimal", lambda *_: "0.5")
    with pytest.raises(InputError, match=r"splu\.E1 is not affirmed: summed_in_fractions"):
        ledger.reaffirm("splu.E1", reason="A test.", changes=["new"])
    assert not list(tmp_path.iterdir())


def test_an_installed_copy_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="re-affirm from a checkout"):
        affirm(LEDGER.get("splu.E1"), tmp_path / "nowhere", reason="A test.")


def _alterations(tree: ast.Module, name: str) -> Iterator[ast.Module]:
    """Yield copies of a module in which one name, number or operator of a definition is another."""
    positions = [
        index
        for index, node in enumerate(ast.walk(_definition(tree, name)))
        if isinstance(node, ast.Name | ast.Attribute | ast.BinOp)
        or (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and not isinstance(node.value, bool)
        )
    ]
    for position in {positions[0], positions[len(positions) // 2], positions[-1]}:
        altered = copy.deepcopy(tree)
        node = list(ast.walk(_definition(altered, name)))[position]
        if isinstance(node, ast.Name):
            node.id += "_"
        elif isinstance(node, ast.Attribute):
            node.attr += "_"
        elif isinstance(node, ast.BinOp):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        elif isinstance(node, ast.Constant):
            node.value += 1  # type: ignore[operator]  # integers alone were chosen
        yield altered


def _definition(tree: ast.Module, name: str) -> ast.AST:
    found: ast.AST = tree
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            found = node
    return found
