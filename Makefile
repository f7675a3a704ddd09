# The two commands that do everything: `make app` and `make test`. Each sets up what it needs and says so.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
# Tests of one file stay in one process.
JOBS ?= 2
TOGETHER := -n $(JOBS) --dist loadfile
API := webcards.contract webcards.tools webcards.tools.opening webcards.search.provider webcards.fetch.fetcher webcards.logs \
       webcards.store components.web_card components.markup

.PHONY: app test lint bench messages pictures api audit lowest clean

app: $(VENV)/.app
	@echo "Starting Web Cards on http://127.0.0.1:$(PORT) (stop it with Ctrl+C)"
	@$(BIN)/python -m webcards serve --port $(PORT)

test: $(VENV)/.dev
	@echo "Running the tests; those that need a browser, a database server or the shared material say so if they skip"
	@echo "(in two runs: the browser keeps an event loop of its own, beside which no other can run in one process)"
	@failed=0; \
	$(BIN)/python -m pytest -m "not browser" $(TOGETHER) $(PYTEST_ARGS) || failed=1; \
	$(BIN)/python -m pytest -m browser $(TOGETHER) $(PYTEST_ARGS) || failed=1; \
	exit $$failed

lint: $(VENV)/.dev
	@echo "Checking style, types and imports"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(VENV)/.dev
	@for script in contract card ui fetch throughput search_seam search replay store batch load; do \
		echo; echo "== benchmarks/$$script.py"; $(BIN)/python -m benchmarks.$$script || exit 1; done

messages: $(VENV)/.dev
	@echo "Reading the texts out of the sources into the catalogues"
	@$(BIN)/python -m components.locale.catalogues

pictures: $(VENV)/.dev
	@echo "Comparing every state with its reviewed picture (ACCEPT=--accept takes the new ones)"
	@$(BIN)/python -m tests.browser.pictures $(ACCEPT)

api: $(VENV)/.dev
	@echo "Writing the API pages into build/api"
	@$(BIN)/python -W error -m pdoc -o build/api $(API)

audit: $(VENV)/.dev
	@echo "Asking the advisory database about every package that is installed (needs the network)"
	@$(BIN)/pip-audit --skip-editable

lowest: $(VENV)/.dev
	@echo "Running the tests with the lowest versions that requirements.txt allows, in build/lowest"
	@mkdir -p build
	@$(BIN)/uv venv --quiet --clear --seed --python $(BIN)/python build/lowest
	@$(BIN)/uv pip compile --quiet --resolution lowest-direct --python build/lowest/bin/python -o build/lowest.txt requirements-dev.txt
	@VIRTUAL_ENV=build/lowest $(BIN)/uv pip install --quiet -r build/lowest.txt
	@build/lowest/bin/python -m pytest -m "not browser" -p no:cacheprovider $(TOGETHER) $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Web Cards needs Python 3.11 or later; this is {v[0]}.{v[1]}. Name another with: make PYTHON=python3.12 …")'
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "Upgrading pip (older ones cannot read the extras of readability-lxml)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/.app: requirements.txt | $(VENV)/bin/python
	@echo "Installing what the app needs (requirements.txt); the first time this takes about half a minute"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements.txt requirements-dev.txt | $(VENV)/bin/python
	@echo "Installing what the app, the tests and the checks need (requirements-dev.txt)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.app
