# Two commands matter: `make verify` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SPARK := $(VENV)/.spark
INSTALL := $(PYTHON) -m pip --python $(BIN)/python install --quiet --no-compile
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib
LOCK := $(BIN)/python -m uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --quiet
WORKERS ?= auto
# Where the environment forbids it, each of thousands of processes would compile all modules that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: verify test quick portable vectors mutation lint types tests docs bench peers coq lock clean help

help:
	@echo "make verify  run the verification suite on the embedded data; report in report/index.html"
	@echo "make test    linter, types, tests with coverage, documentation"
	@echo "make quick   linter, types and the fast tests of the library's rooms: most faults, in three minutes"
	@echo "make vectors complete new test vectors with the answers of the specification"
	@echo "make portable  the tests of floating-point results, rounded as on other processors"
	@echo "make mutation ROOMS=plans SAMPLE=100   put small faults into the code and name those that no test notices"
	@echo "make bench   speed, its growth and memory, as ratios against named baselines; the bounds of hostile input"
	@echo "make peers   the same against other packages, in an environment of their own"
	@echo "make coq     compile the kernel-checked proofs and the proved certificate checker (needs Coq 8.16 with MathComp, OCaml"
	@echo "             and zarith: see proofs/splu_proofs/coq/README.md)"
	@echo "make docs    build the documentation into docs/_build/html"
	@echo "make lock    resolve the dependencies again and write the four files of pinned versions"

# The environment is made without ensurepip, which some systems package apart, and filled by the system's pip. Every file
# that pip downloads has one of the hashes in constraints.txt; the checkout itself has none, and goes in alone. pip would
# compile on one processor; a package may hold files that are not meant to compile.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear --without-pip $(VENV)
	$(INSTALL) --require-hashes --requirement constraints.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	-@$(COMPILE)
	@touch $@

# Spark is half a gigabyte and only for what is tested on it, so nothing else waits for it. Its distribution is built
# here, by the pinned build tool.
$(SPARK): $(READY) constraints-spark.txt
	$(INSTALL) --require-hashes --no-build-isolation --requirement constraints-spark.txt
	-@$(COMPILE)
	@touch $@

verify: $(READY)
	$(BIN)/splu-ref verify --level full --report report --force

# The documentation keeps one processor, beside the type checker and the first of the tests.
test: lint
	@$(MAKE) --no-print-directory --jobs 2 docs tests

# Rooms with a program, a report, proofs or vectors to run through are left to make test.
QUICK := $(addprefix tests/,spec channels randomness data mechanisms estimators guarantees audit api output) \
	tests/docs/test_project_files.py \
	$(filter-out tests/test_wheel.py,$(wildcard tests/test_*.py))

quick: lint types
	$(BIN)/pytest -n $(WORKERS) -q -m "not slow" $(QUICK)

vectors: $(READY)
	$(BIN)/python -m tests.conformance.complete

# Of these settings make test runs one, the setting "ci".
portable: $(READY)
	$(BIN)/python -m tests.portable --workers $(WORKERS) $(SETTINGS)

# Not part of make test: a room takes from minutes (a sample) to an hour.
mutation: $(READY)
	$(BIN)/python -m tests.mutation $(ROOMS) $(if $(SAMPLE),--sample $(SAMPLE))

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(SPARK)
	$(BIN)/mypy

# A worker begins with a row of neighbors, so that what a module prepares is prepared once. The property and statistical
# suites are not among the tests: make verify runs them, with their budget and their mutants. Lines are watched until they
# have run once, so that slow tests may be watched too. What types refuse is not worth a quarter of an hour.
COVERED := .coverage.json
tests: types
	$(BIN)/slipcover --json --out $(COVERED) -m pytest -p tests.immediate_coverage -n $(WORKERS) --dist worksteal
	$(BIN)/slipcover --merge $(COVERED) --out $(COVERED) --fail-under 95
	$(BIN)/python -m tests.portable --workers $(WORKERS) ci

docs: $(READY)
	$(BIN)/sphinx-build --fail-on-warning --keep-going --nitpicky --quiet docs docs/_build/html

# One thread: idle threads of linear algebra would count as processor time.
bench: $(READY)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks
	$(BIN)/pytest -q -m measured

# Neither part of CI nor of constraints.txt: other packages, which nothing else here needs.
PEERS := .venv-peers
INSTALL_PEERS := $(PYTHON) -m pip --python $(PEERS)/bin/python install --quiet
peers: $(PEERS)/.ready
	OPENBLAS_NUM_THREADS=1 $(PEERS)/bin/python -m benchmarks.peers

$(PEERS)/.ready: benchmarks/peers/requirements.txt benchmarks/peers/built.txt
	$(PYTHON) -m venv --clear --without-pip $(PEERS)
	$(INSTALL_PEERS) --require-hashes --only-binary :all: --requirement benchmarks/peers/requirements.txt
	$(INSTALL_PEERS) --require-hashes --no-deps --no-build-isolation --requirement benchmarks/peers/built.txt
	$(INSTALL_PEERS) --no-deps --no-build-isolation --editable .
	@touch $@

coq:
	$(MAKE) --no-print-directory -C proofs/splu_proofs/coq
	$(MAKE) --no-print-directory -C proofs/splu_proofs/kernel_checker

lock: $(READY)
	$(LOCK) --extra dev --output-file constraints.txt
	$(LOCK) --extra build --constraint constraints.txt --output-file requirements.txt
	$(LOCK) --extra spark --constraint constraints.txt --output-file constraints-spark.txt
	$(LOCK) benchmarks/peers/requirements.in --extra build --no-emit-package multi-freq-ldpy \
		--output-file benchmarks/peers/requirements.txt

clean:
	rm -rf $(VENV) $(PEERS) $(COVERED) report docs/_build docs/reference .mypy_cache .ruff_cache .pytest_cache .hypothesis
