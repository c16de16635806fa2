"""Our reader against the engine's: the same file through `pulumi config --json` and through `railyard.load`."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from railyard.load.reader import read_yaml
from railyard.load.scalars import as_text

ROOT = Path(__file__).parents[2]
PULUMI = ROOT / ".pulumi-home" / "bin" / "pulumi"

SCALARS = """\
1.30 on off yes no y n true True TRUE tRUE false False ~ null NULL nULL 10:20:30:40:50:10 1:30 190:20:30 0o14 0O14 0o8 012 -012
089 08.5 0x1f 0X1F -0x1F +0x1F 0x 0x_1f 0x1p3 0xFFFFFFFFFFFFFFFFFF 0b1 -0b11 0B11 0b2 1_000 1__0 1_ _1 0_ 1_0.5 685_230.15
+1_000.0 .5 ._5 .1_0 5. 1.e2 +.5 -.5 +.5e+3 1e3 1E+3 1e21 1e20 1e-7 1e400 1e-400 12e03 -0 -0.0 +12 1.0 0.1 0 00 infinity nan Inf
123456789.0 9007199254740993 123456789012345678901234567890 18446744073709551615 -9223372036854775808 -9223372036854775809
9223372036854775807 2026-01-02 2026-1-2 2026-13-02 2026-02-30 2026-01-02T10:00:00Z 2026-01-02t10:00:00Z 2026-01-02T10:00:00
2026-01-02T10:00:00.250Z 2026-01-02T10:00:00+02:00 2026-01-02T1:2:3Z 2026-01-02T10:00:00-07:30 20260102 2026-01 0042 1e 1e+ e1
.e1 . .. -- +- 1.2.3 1.36.3 v1.30 0.0.0.0 02:00:00:00:00:01 = << '1' "1.30" '' "on" 'null' "a\\tb" "\\u00e9" é 1a 1- 0x1g 0b 0o
0.1e1 1,000 $1 1%
""".split()  # noqa: SIM905
PHRASES = [
    *("10 kW", "2026-01-02 10:00:00", "2026-01-02 1:2:3.5", "2026-01-02 10:00:00 +1", "!!str 12", "!!int '12'", "!!float 3"),
    *("!!binary aGVsbG8=", "!custom 12", "!!null ~", "|\n      block\n      two", ">-\n      folded\n      text"),
    *("[1, [on, 1.30]]", "{a: 1, b: {c: ~}}", "# nothing"),
]

SALT = "encryptionsalt: v1:d08Nil3EV2o=:v1:rpADxpluGSx+ckmD:8YzbwanYz/1LZ7Ise3ExwGzN9Hxkzg==\n"
"""Of the passphrase `x`."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not PULUMI.exists():
        pytest.fail("no engine: run `make setup`")
    root = tmp_path_factory.mktemp("project")
    (root / "stacks").mkdir()
    (root / "Pulumi.yaml").write_text("name: railyard\nruntime: python\nstackConfigDir: stacks\n")
    (root / "stacks" / "Pulumi.t.yaml").write_text(SALT)
    run(root, "stack", "init", "t")
    return root


def run(root: Path, *args: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "TZ": "UTC",
        "PULUMI_HOME": str(root / "home"),
        "PULUMI_BACKEND_URL": root.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "x",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    done = subprocess.run([PULUMI, *args], cwd=root, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def engine(root: Path, text: str) -> dict[str, str]:
    """What the engine hands to the program for this configuration."""
    (root / "stacks" / "Pulumi.t.yaml").write_text(text + SALT, encoding="utf-8")
    values = json.loads(run(root, "config", "--stack", "t", "--json"))
    return {key: item["value"] for key, item in values.items()}


def ours(text: str) -> dict[str, object]:
    document = read_yaml(text + SALT, "x")
    assert not document.problems, document.problems
    return document.value["config"]


def same(value: object) -> object:
    """Numbers as the engine's JSON keeps them: all of them 64-bit floats once they don't fit an integer."""
    if isinstance(value, dict):
        return {key: same(item) for key, item in value.items()}
    if isinstance(value, list):
        return [same(item) for item in value]
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 2**62 else value


def test_scalars_inside_a_value(project: Path):
    everything = [*SCALARS, *PHRASES]
    text = "config:\n  railyard:map:\n" + "".join(f"    k{index}: {scalar}\n" for index, scalar in enumerate(everything))
    theirs = json.loads(engine(project, text)["railyard:map"])
    mine = json.loads(json.dumps(ours(text)["railyard:map"]))
    for index, scalar in enumerate(everything):
        assert same(mine[f"k{index}"]) == same(theirs[f"k{index}"]), scalar
        assert type(same(mine[f"k{index}"])) is type(same(theirs[f"k{index}"])), scalar


def test_scalars_at_the_top_are_text(project: Path):
    scalars = [scalar for scalar in SCALARS if scalar not in {"~", "null", "NULL", "-0.0"}]
    text = "config:\n" + "".join(f"  railyard:k{index}: {scalar}\n" for index, scalar in enumerate(scalars))
    theirs, mine = engine(project, text), ours(text)
    for index, scalar in enumerate(scalars):
        key = f"railyard:k{index}"
        text_of = as_text(mine[key])  # type: ignore[arg-type]
        assert text_of == theirs[key] or float(text_of) == float(theirs[key]), scalar


def test_keys_merges_anchors_and_prefixes(project: Path):
    text = (
        "config:\n  bare: 5\n  railyard:a: &x {k: 1, 5: five, true: yes}\n  railyard:b: {<<: *x, k: 2}\n"
        "  railyard:c: [*x, {<<: [{p: 1}, {p: 2, q: 3}]}]\n"
    )
    theirs, mine = engine(project, text), ours(text)
    assert theirs["railyard:bare"] == "5"
    for key in ("a", "b", "c"):
        assert json.loads(theirs[f"railyard:{key}"]) == mine[f"railyard:{key}"]


def test_a_bom_is_no_character(project: Path):
    assert engine(project, "\ufeffconfig:\n  railyard:a: 5\n") == {"railyard:a": "5"}


@pytest.mark.parametrize("stack", ["lab", "lab-b", "starter", "prod-site-a", "prod-site-b"])
def test_each_example_is_read_the_same_way(project: Path, stack: str):
    text = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("encryptionsalt:"))
    theirs = engine(project, text)
    for key, value in ours(text).items():
        assert (json.loads(theirs[key]) if isinstance(value, dict | list) else theirs[key]) == (
            value if isinstance(value, dict | list) else as_text(value)  # type: ignore[arg-type]
        )
