# Everything that a newcomer, CI and the maintainers run. The pulumi CLI's environment is .envrc's, here and in your shell.
STACK ?= lab
PYTHON ?= python3
ARGS ?=
WITH_ENV := . ./.envrc &&
# One pytest run each, cheapest first; all of them run, and any failure fails the target.
TIERS := unit property,golden,cli,component,policy engine,provider,lab proof
# Tests of the labs mostly wait: more workers than cores, but not many more, since each lab has a control plane of its own. A file
# stays on one worker, since its tests share a lab; the longest start first (tests/conftest.py). All others compute, or have daemons
# that drop sessions after three silent seconds: one worker a core.
WORKERS ?= 2
LAB_WORKERS ?= 3
PARALLEL := --dist loadfile --no-loadscope-reorder

# Images often set this. Here hundreds of short processes read the same 500 files: compiled once, a program starts 0.4 s earlier,
# and pytest rewrites 4,000 assertions once and not in every worker. It all lies in __pycache__, which git ignores.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup up down test check bench policy preview report docs clean
MAKEFLAGS += --no-print-directory

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo "  variables: STACK=$(STACK) (a file stacks/Pulumi.<STACK>.yaml), ARGS= (more arguments for pulumi or pytest)"

setup:  ## Python environment, pulumi, plugins and the lab's control plane; quick when nothing is missing
	@PYTHON=$(PYTHON) sh engine/setup.sh
	@$(WITH_ENV) python -m engine install

up: setup  ## pulumi up of STACK, its lab first if its site is emulated; then its report
	@$(WITH_ENV) python -m engine stack-up "$(STACK)" -- $(ARGS)
	@$(WITH_ENV) railyard report "$(STACK)" --config-file "$$(python -m engine stack-file "$(STACK)")"

down:  ## stop every lab of this checkout; its data and the stacks' state stay
	@if [ -x .venv/bin/python ]; then $(WITH_ENV) python -m lab down --all; fi

test: setup  ## every test, cheapest tier first
	@$(WITH_ENV) failed=0; for tier in $(TIERS); do \
	  set --; for folder in $$(echo $$tier | tr , ' '); do if [ -d tests/$$folder ]; then set -- "$$@" tests/$$folder; fi; done; \
	  if [ $$# -gt 0 ]; then echo "== $$*"; \
	    workers=$(WORKERS); case $$tier in *lab*) workers=$(LAB_WORKERS);; esac; pytest "$$@" -n $$workers $(PARALLEL) $(ARGS) || failed=1; fi; \
	done; exit $$failed

check: setup  ## format, lint, types, imports, fresh generated files
	@$(WITH_ENV) ruff format --check . && ruff check . && pyright && lint-imports && railyard docs --check

bench: setup  ## the numbers that we promise, also in bench.json
	@$(WITH_ENV) python -m bench $(ARGS)

policy: setup  ## preview of STACK under all policy packs, then the packs over its deployed state
	@$(WITH_ENV) python -m engine stack-policy "$(STACK)" -- $(ARGS)

preview: setup  ## what pulumi up of STACK would do; needs no hardware and no cluster
	@$(WITH_ENV) python -m engine stack-preview "$(STACK)" -- $(ARGS)

report: setup  ## the report of STACK, without pulumi
	@$(WITH_ENV) railyard report "$(STACK)"

docs: setup  ## renew the generated files (schema, reference, example reports)
	@$(WITH_ENV) railyard docs

clean: down  ## stop the lab and remove all that this checkout made, the stacks' state included (not ~/.cache/railyard)
	@rm -rf .venv .pulumi-home .pulumi-state .lab out *.egg-info .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
