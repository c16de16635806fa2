#!/bin/sh
# The part of `make setup` that must run before there is a Python environment. Does nothing when nothing is missing.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

fail() { # id, where, found, needed, fix
  printf '%s %s\n  found:  %s\n  needed: %s\n  fix:    %s\n' "$@" >&2
  exit 2
}

install_debian_packages() {
  missing=
  while read -r package executable; do
    case $package in "" | "#"*) continue ;; esac
    command -v "$executable" >/dev/null 2>&1 || missing="$missing $package"
  done <engine/debian-packages.txt
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "not installed (the lab or some tests need them):$missing"
    return 0
  fi
  echo "installing Debian packages:$missing …"
  log=$(mktemp)
  no_daemons
  # shellcheck disable=SC2086 # one word a package
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
    >"$log" 2>&1 </dev/null; then
    tail -n 3 "$log" >&2
    echo "could not install:$missing (the lab or some tests need them)" >&2
  fi
  rm -f "$log"
  if [ -n "$policy" ]; then rm -f "$policy"; fi
}

# A package that we need for its program must not start a daemon on this machine (Debian's own switch for that: exit code 101).
no_daemons() {
  policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then policy=; return 0; fi
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
}

make_environment() {
  command -v "$python" >/dev/null 2>&1 || fail ENGINE-011 Python "no $python" "Python 3.11 or newer" "PYTHON=/path/to/python make setup"
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail ENGINE-011 Python "$python is $version" "Python 3.11 or newer" "PYTHON=/path/to/python make setup"
  echo "making .venv with Python $version and the packages of pyproject.toml (about 1 min) …"
  [ -x .venv/bin/python ] || "$python" -m venv .venv
  log=.venv/setup.log
  # --group needs a pip from 2025; Python 3.11 brings an older one.
  if ! { .venv/bin/python -m pip install 'pip>=26' && .venv/bin/python -m pip install -e . --group dev; } >"$log" 2>&1 </dev/null; then
    fail ENGINE-011 "packages of pyproject.toml" "$(tail -n 2 "$log" | tr '\n' ' ')" "a package index that can be reached" \
      "check the network and pip's index, read $log, then make setup again"
  fi
}

stamp=.venv/.setup-$(sha256sum pyproject.toml | cut -c1-16)
if [ ! -e "$stamp" ] || [ ! -x .venv/bin/python ]; then
  make_environment
  rm -f .venv/.setup-*
  : >"$stamp"
fi
install_debian_packages
