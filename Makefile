# `make` alone prints this help. Everything happens in .venv; nothing else on the machine is changed, but that make test
# installs Chromium where it is missing, and whoever runs it may do so.
PYTHON ?= python3
BIN := .venv/bin
EXAMPLE := R U2 F' R2 U'

.DEFAULT_GOAL := help
.PHONY: help tables browser pytest pytest-all test test-all coverage lint docs site bench bench-mod3 bench-rubik wheel try-wheel try-sdist clean
.DELETE_ON_ERROR:

help: ## Print this help
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

# Commands start in half the time with byte code, and some machines forbid Python to write it by itself. Here it is
# written: pytest keeps the test modules that it has rewritten, too.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := $(BIN)/python -m compileall -q -j 0 cubesolve
# Hypothesis would import trio, which one of the development tools needs and no test.
export HYPOTHESIS_NO_PLUGINS := 1

# pip 25.1 is the first that knows dependency groups. Where Python has a pip, it installs the new one; venv would first
# install the old one, in 4 s.
.venv/created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cubesolve needs Python 3.11 or newer")'
	@{ $(PYTHON) -m venv --without-pip .venv && $(PYTHON) -m pip --python .venv install --quiet 'pip>=25.1'; } 2>/dev/null \
	|| { $(PYTHON) -m venv --clear .venv && $(BIN)/python -m pip install --quiet 'pip>=25.1'; }
	@touch $@

.venv/installed: .venv/created pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# Commands run in the checkout with these alone. While the development tools are installed and mypy runs, which keeps one
# processor busy, the other one builds tables and compiles kernels. Tests begin after that: they would compile them, too.
.venv/ready: .venv/created pyproject.toml
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
	> .venv/requirements.txt
	$(BIN)/python -m pip install --quiet --no-compile --requirement .venv/requirements.txt
	@touch $@

.venv/tables: | .venv/ready
	$(COMPILE)
	$(BIN)/python -m cubesolve tables build
	@touch $@

.venv/kernels: | .venv/tables
	$(BIN)/python -m cubesolve warm
	@touch $@

# The tools include what builds the package, so that no other environment is needed for it. Most of them are never
# imported, and not compiled in advance.
.venv/developing: .venv/ready pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --group test
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch .venv/installed $@

# Tools that make test does without: reading what the package index has of them takes a quarter of the installation.
.venv/everything: .venv/developing pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --group dev
	@touch $@

tables: .venv/installed ## Install into .venv, build and verify every default table, compile kernels, answer an example
	$(COMPILE)
	$(BIN)/cubesolve tables build
	$(BIN)/cubesolve tables verify
	$(BIN)/cubesolve warm
	@printf '\nA shortest solution of the cube scrambled by %s:\n' "$(EXAMPLE)"
	@$(BIN)/cubesolve solve --puzzle 2x2x2 "$(EXAMPLE)"

lint: .venv/developing ## Check style, types and import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# A worker that has no more tests takes over some of another's.
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal --durations 10

# Pages are tested in a browser.
BROWSER := chromium chromium-driver
browser:
	@{ command -v chromium && command -v chromedriver; } >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq -y --no-install-recommends $(BROWSER); } \
	|| echo 'The tests of pages will fail: they need Chromium and its driver, in Debian the packages $(BROWSER)' >&2

pytest: .venv/developing .venv/kernels browser
	+$(PYTEST)

pytest-all: .venv/everything .venv/kernels browser
	+$(PYTEST) -m '' -o faulthandler_timeout=1800

# What others print comes in one piece, between the dots of the tests: neither keeps two processors busy all the time.
TOGETHER := $(MAKE) --no-print-directory --jobs 4 --output-sync=target

test: ## Install the development tools, lint, and run all tests but the exhaustive: some minutes
	$(TOGETHER) lint pytest

test-all: ## The same with the exhaustive tests: many minutes more
	$(TOGETHER) lint pytest-all

coverage: .venv/everything browser ## Report untested lines: tests take twice as long then
	$(COMPILE)
	$(PYTEST) --cov --cov-report term:skip-covered

.venv/documenting: .venv/installed
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

docs: .venv/documenting ## Build the documentation into site/, whose index.html opens in a browser; any warning is an error
	$(BIN)/zensical build --clean --strict

site: docs .venv/developing ## The same, and in site/playground/ a page that solves puzzles without a server: two minutes more
	$(BIN)/cubesolve tables build
	$(BIN)/python scripts/playground.py site/playground

bench: .venv/developing ## Measure, and compare with a small C++ program where g++ is there
	$(COMPILE)
	$(BIN)/cubesolve tables build
	$(BIN)/python scripts/bench.py

bench-mod3: .venv/developing ## Measure tables with two bits an entry beside those with a byte
	$(COMPILE)
	$(BIN)/python scripts/bench_mod3.py

bench-rubik: .venv/developing ## Measure the 3x3x3 with the pattern databases that are built: many minutes
	$(COMPILE)
	$(BIN)/python scripts/bench_rubik.py

wheel: .venv/developing ## Build dist/*.whl, which carries the default tables, and machine code of the first kernels
	$(BIN)/cubesolve tables build
	$(BIN)/python scripts/bundle.py cubesolve/bundle
	$(BIN)/python -m build --wheel --outdir dist

PYTHONS ?= $(PYTHON)
try-wheel: wheel ## Try the wheel in an empty environment of each of PYTHONS="python3.11 python3.14"
	$(BIN)/python scripts/try_wheel.py dist/cubesolve-*.whl $(PYTHONS)

try-sdist: .venv/developing ## Build dist/*.tar.gz, and run make test in a folder that has nothing else
	rm -rf build/sdist dist/*.tar.gz
	mkdir -p build/sdist
	$(BIN)/python -m build --sdist --outdir dist
	tar -xzf dist/cubesolve-*.tar.gz -C build/sdist --strip-components 1
	$(MAKE) -C build/sdist test

clean: ## Remove everything that make made
	rm -rf .venv dist build site cubesolve/bundle .cache .coverage htmlcov .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f tables/*.zst tables/*.checkpoint tables/.*.tmp
	rm -rf __pycache__
	find cubesolve scripts tests -name __pycache__ -type d -exec rm -rf {} +
