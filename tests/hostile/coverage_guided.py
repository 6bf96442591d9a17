"""Coverage-guided fuzzing of a reader: ``python -m tests.hostile.coverage_guided READER [OPTIONS]``.

Needs the package ``atheris``, which is no dependency of the project. The options are libFuzzer's, such as
``-max_total_time=60``; a folder among them is the corpus, which grows from run to run. A finding stops the
run and leaves the bytes in a file ``crash-…``, which is the single argument that repeats it. The page
"Hostile input" of the documentation says more.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

try:
    atheris = import_module("atheris")
except ImportError:
    sys.stderr.write("the package atheris is missing: install it with pip install atheris\n")
    raise SystemExit(2) from None

with atheris.instrument_imports(include=["splu_ref", "tomllib", "json", "fractions"]):
    from tests.hostile.readers import READERS, read_hostile


def main() -> None:
    """Fuzz the reader that the first word names."""
    names = [name for name in READERS if name != "parquet"]  # it is read in another process
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        sys.stderr.write(f"name a reader: {', '.join(names)}\n")
        raise SystemExit(2)
    reader = READERS[sys.argv[1]]
    options = [word for word in sys.argv[2:] if word.startswith("-")]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, sample in enumerate(reader.samples):
            _folder(folder, "samples").joinpath(str(number)).write_bytes(sample)
        dictionary = folder / "dictionary"
        dictionary.write_text("".join(f'"{_escaped(token)}"\n' for token in reader.tokens), encoding="ascii")
        inputs = [word for word in sys.argv[2:] if word not in options]
        if not all(Path(word).is_file() for word in inputs) or not inputs:
            inputs = [*inputs, str(_folder(folder, "corpus")), str(folder / "samples")]
        limits = ["-timeout=20", "-rss_limit_mb=4096", f"-dict={dictionary}"]

        def read(data: bytes) -> None:
            read_hostile(reader, data)

        atheris.Setup([sys.argv[0], *limits, *options, *inputs], read)
        atheris.Fuzz()


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir(exist_ok=True)
    return folder


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    main()
