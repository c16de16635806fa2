"""The kit's pure parts."""

import threading
import time

import pytest
from google.protobuf import struct_pb2

from providers.kit import (
    UNKNOWN,
    Cancel,
    Cancelled,
    Credential,
    Deadline,
    Gate,
    Problem,
    ProviderError,
    has_unknown,
    read_reference,
)
from providers.kit.cancel import Cancel as CancelFlag
from providers.kit.diffing import diff
from providers.kit.errors import render
from providers.kit.gate import digest
from providers.kit.log import EngineLog
from providers.kit.references import read_file_reference, too_open
from providers.kit.resource import Call
from providers.kit.values import to_python, to_struct

SIGNATURE = "4dabf18193072939515e22adb298388d"


def test_values_survive_the_wire():
    value = {"text": "a", "number": 3, "part": 1.5, "yes": True, "list": [1, {"deep": []}], "map": {"a.b/c": None}, "empty": {}}
    assert to_python(to_struct(value)) == value
    assert "gone" not in to_struct({"gone": None}).fields
    with pytest.raises(TypeError):
        to_struct({"x": object()})


def test_secrets_outputs_references_and_unknowns_are_unwrapped():
    struct = struct_pb2.Struct()
    struct.update(
        {
            "secret": {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "value": {"a": 1}},
            "known": {SIGNATURE: "d0e6a833031e9bbcd3f4e8bde6ca49a4", "value": "v", "dependencies": []},
            "unknown": {SIGNATURE: "d0e6a833031e9bbcd3f4e8bde6ca49a4"},
            "resource": {SIGNATURE: "5cf8f73096256a8f31e491e813e4eb8e", "urn": "urn:x", "id": "i"},
            "number": "ad2dc3cb-2d28-4e2d-8b4b-6fe2e3ea5fe2",
        }
    )
    found = to_python(struct)
    assert found == {"secret": {"a": 1}, "known": "v", "unknown": UNKNOWN, "resource": "i", "number": UNKNOWN}
    assert has_unknown({"deep": [{"x": UNKNOWN}]})
    assert not has_unknown({"deep": [{"x": UNKNOWN + "-"}]})


def test_secret_outputs_are_marked():
    struct = to_struct({"kubeconfig": "k", "other": "o"}, {"kubeconfig"})
    assert struct["kubeconfig"][SIGNATURE] == "1b47061264138c4ac30d75fd1eb44270"
    assert struct["other"] == "o"


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ({"a": 1}, {"a": 1.0}, {}),
        ({"a": 1}, {"a": True}, {"a": "update"}),
        ({"a": None}, {}, {}),
        ({"a": [1, 2]}, {"a": [1]}, {"a[1]": "delete"}),
        ({"s": {"ntp": ["x"]}}, {"s": {"ntp": ["y", "z"]}}, {"s.ntp[0]": "update", "s.ntp[1]": "add"}),
        ({"l": {"a.b/c": "1"}}, {"l": {"a.b/c": "2"}}, {'l["a.b/c"]': "update"}),
        ({"x": "known"}, {"x": UNKNOWN}, {"x": "update"}),
        ({"x": {}}, {"x": []}, {"x": "update"}),
    ],
)
def test_diff_names_paths(old, new, paths):
    assert diff(old, new) == paths


def test_references(tmp_path, monkeypatch):
    path = tmp_path / "credential"
    path.write_text('username: admin\npassword: "pa: ss#1"\n')
    monkeypatch.setenv("RAILYARD_ROOT", str(tmp_path))
    found = read_reference("file:credential")
    assert found == Credential("admin", "pa: ss#1")
    assert "pa: ss" not in repr(found)
    monkeypatch.setenv("BMC", "u:p:q")
    assert read_reference("env:BMC") == Credential("u", "p:q")
    assert read_file_reference("file:credential").startswith("username")
    path.chmod(0o644)
    assert "chmod 600" in too_open("file:credential")
    path.chmod(0o640)
    assert too_open("file:credential") is None
    assert too_open("env:BMC") is None


@pytest.mark.parametrize(
    ("ref", "word"),
    [
        ("hunter2-the-password", "KIT-010"),
        ("vault:kv/secret-part", "KIT-010"),
        ("file:", "KIT-010"),
        ("file:/nowhere/x", "KIT-011"),
        ("env:NOT_SET_AT_ALL", "KIT-012"),
        ("file:empty", "KIT-013"),
        ("env:NO_COLON", "KIT-013"),
    ],
)
def test_bad_references_are_named_without_their_content(ref, word, tmp_path, monkeypatch):
    monkeypatch.setenv("RAILYARD_ROOT", str(tmp_path))
    monkeypatch.setenv("NO_COLON", "canary")
    (tmp_path / "empty").write_text("canary\n")
    with pytest.raises(ProviderError, match=word) as caught:
        read_reference(ref, "here")
    assert "here" in str(caught.value)
    assert not any(secret in str(caught.value) for secret in ("hunter2", "secret-part", "canary"))


def test_errors_read_as_text():
    text = render([Problem("A-1", "here", "x", "y", "do z", "docs/a"), Problem("A-2", "there", "p", "", "")])
    assert text == "A-1 here\n  found: x\n  limit: y\n  fix:   do z\n  more:  docs/a\nA-2 there\n  found: p"


def test_cancel_ends_waits_at_once():
    cancel, event = Cancel(), threading.Event()
    threading.Timer(0.1, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        cancel.wait_for(event, 30)
    with pytest.raises(Cancelled):
        cancel.wait(30)
    assert time.monotonic() - began < 1
    other = CancelFlag()
    assert not other.wait_for(event if not event.is_set() else threading.Event(), 0.01)
    done = threading.Event()
    done.set()
    assert other.wait_for(done, 1)


def test_deadlines_shrink():
    whole = Deadline(5)
    assert whole.shorter(60).limit_s <= 5
    assert not whole.passed()
    assert Deadline(0).passed()


class Scale(Gate):
    """A gate that weighs its input."""

    def measure(self, inputs, call):
        return {"kg": inputs["kg"]}

    def judge(self, inputs, evidence):
        return [Problem("SCALE-1", "here", f"{evidence['kg']} kg", "10 kg", "eat less")] if evidence["kg"] > 10 else []


def test_a_gate_fails_or_gives_token_and_digest():
    call = Call("urn", "g", Cancel(), EngineLog(None))
    made = Scale().create({"phase": "p", "kg": 3}, call)
    assert made.outputs == {"token": "p", "digest": digest({"kg": 3})}
    assert len(made.outputs["digest"]) == 64
    with pytest.raises(ProviderError, match="SCALE-1"):
        Scale().create({"phase": "p", "kg": 30}, call)
    with pytest.raises(ProviderError, match="SCALE-1"):
        Scale().update("g", {}, {"phase": "p", "kg": 30}, {}, call)
    assert Scale().preview({"phase": "p"}, None) == {"token": "p", "digest": UNKNOWN}
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
