"""The command line: up, down, status, fault, power. Exit 0 done, 1 not running or not ready, 2 refused."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from lab import control, life, rewrite, setup
from lab.errors import LabError, text
from lab.instance import Instance, lab_home, load
from lab.setup import Wish

FAULTS = """kinds: status {status, headers?, body?} · slow {delayS} · reset {when?: before|after} · drop {afterBytes?} (these
four also take method, path (glob), remaining) · unreachable · wrong-password · identity {serial?, gpus?, macs?} · media-404 ·
no-call-home {phase?: begun|finished}. Example: fault LAB0001 '{"kind":"status","status":503,"remaining":3}'"""


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="python -m lab", description="The emulated site that railyard runs against.")
    commands = top.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--dir", type=Path, help="the instance's directory (default: .lab/<site>)")
    common.add_argument("--site", help="a site's name, or the path of its inventory.yaml (default: lab)")
    up = commands.add_parser("up", parents=[common], help="bring the lab up; a second time: nothing to do")
    up.add_argument("--stack", help="name of the stack (default: the site's)")
    up.add_argument("--stack-file", type=Path, help="stack file to copy (default: stacks/Pulumi.<stack>.yaml)")
    up.add_argument("--network", metavar="127.N", help="loopback /16 to use (picked when the instance is made)")
    up.add_argument("--control-plane", action=argparse.BooleanOptionalAction, default=None, help="run etcd, API server, Kueue")
    up.add_argument("--provision", action=argparse.BooleanOptionalAction, default=None, help="run the provisioning service")
    up.add_argument("--install-s", type=float, metavar="S", help="how long a machine's install takes (default 0.5)")
    up.add_argument("--post-s", type=float, metavar="S", help="how long a machine's power-on self test takes (default 0.2)")
    down = commands.add_parser("down", parents=[common], help="stop the lab")
    down.add_argument("--all", action="store_true", help="every instance below .lab")
    status = commands.add_parser("status", parents=[common], help="what runs")
    status.add_argument("--json", action="store_true")
    commands.add_parser("config-file", parents=[common], help="print the stack file to use, if it isn't the committed one")
    fault = commands.add_parser("fault", parents=[common], help="inject, list or clear faults", epilog=FAULTS)
    fault.add_argument(
        "serial", nargs="?", default="*", help="serial number or name of a machine or switch; '*' = all machines"
    )
    fault.add_argument("fault", nargs="?", help="JSON object; without it: list")
    fault.add_argument("--clear", action="store_true")
    edit = commands.add_parser("edit", parents=[common], help="change a switch by hand, as its administrator would")
    edit.add_argument("switch", help="name or serial number")
    edit.add_argument("change", help="JSON: an NVUE tree to merge, or a JSON Patch of a config_db")
    power = commands.add_parser("power", parents=[common], help="press a machine's power button")
    power.add_argument("serial")
    power.add_argument("power", choices=("on", "off"))
    return top


def say(line: str) -> None:
    print(line, flush=True)


def _instance(options: argparse.Namespace) -> Instance:
    folder = setup.folder(Wish(dir=options.dir, site=options.site))
    found = load(folder)
    if found is None:
        raise LabError(
            "LAB-010", str(folder), "no lab instance", "an instance made by `up`", f"python -m lab up --dir {folder}"
        )
    return found


def run_up(options: argparse.Namespace) -> int:
    if options.network is not None and not _is_network(options.network):
        raise LabError("LAB-008", "--network", options.network, "127.1 to 127.254", "give the first two octets")
    timing = {key: value for key, value in (("installS", options.install_s), ("postS", options.post_s)) if value is not None}
    for key, value in timing.items():
        if not 0 <= value <= 3600:
            raise LabError("LAB-008", key, str(value), "0 to 3600 seconds", "correct the option")
    wish = Wish(
        dir=options.dir, site=options.site, stack=options.stack, stack_file=options.stack_file, network=options.network,
        control_plane=options.control_plane, provision=options.provision, timing=timing,
    )  # fmt: skip
    instance = life.up(wish, say)
    if not rewrite.unchanged(instance):
        say(f"{instance.site}: not at its committed addresses: use --config-file {rewrite.relative(instance.config_file)}")
    return 0


def _is_network(value: str) -> bool:
    first, _, second = value.partition(".")
    return first == "127" and second.isdigit() and 1 <= int(second) <= 254


def run_down(options: argparse.Namespace) -> int:
    if not options.all:
        life.down(_instance(options), say)
        return 0
    for path in sorted(lab_home().glob("*/instance.json")):
        instance = load(path.parent)
        if instance is not None:
            life.down(instance, say)
    return 0


def run_status(options: argparse.Namespace) -> int:
    instance = _instance(options)
    value = life.status(instance)
    machines: list[dict[str, Any]] = []
    switches: list[dict[str, Any]] = []
    if value["state"] in {"ready", "degraded"}:
        try:
            machines = control.ask(instance, "machines")["machines"]
            switches = _switches(instance)
        except LabError as error:
            value["message"] = value.get("message") or str(error)
    shown = {"site": instance.site, "dir": str(instance.dir), "network": instance.network, **value, "machines": machines}
    shown["switches"] = switches
    if options.json:
        say(json.dumps(shown, indent=1))
    else:
        _print(shown)
    return 0 if value["state"] == "ready" else 1


def run_config_file(options: argparse.Namespace) -> int:
    """For scripts: nothing where there is no instance, or where it is at its committed place."""
    instance = load(setup.folder(Wish(dir=options.dir, site=options.site)))
    if instance is not None and instance.stack_file is not None:
        # Its source may have changed since the last `up`; the next `up` still sees that, as nothing is saved here.
        instance = setup.refresh_copies(instance)
        if not rewrite.unchanged(instance):
            say(str(instance.config_file))
    return 0


def _print(shown: dict[str, Any]) -> None:
    say(f"{shown['site']}: {shown['state']}  {shown['network']}.0.0/16  {shown['dir']}")
    if shown.get("message"):
        say(f"  {shown['message']}")
    for one in shown["services"]:
        say(f"  {one['name']:<24} {one['state']:<9} pid {one['pid']}")
    for one in shown["machines"]:
        system = "running" if one["os"] else "no system"
        faults = "  faults: " + json.dumps(one["faults"]) if one["faults"] else ""
        say(f"  {one['name']:<24} {one['serial']:<12} {one['bmc']:<20} {one['power']:<12} {system}{faults}")

    for one in shown["switches"]:
        reach = "reachable" if one["reachable"] else "cut off"
        faults = "  faults: " + json.dumps(one["faults"]) if one["faults"] else ""
        say(f"  {one['name']:<24} {one['serial']:<12} {one['address']:<20} {one['nos']:<12} {reach}{faults}")


def _switches(instance: Instance) -> list[dict[str, Any]]:
    """The switches of an instance, as their process shows them; none where none run."""
    if not instance.switch_socket.exists():
        return []
    return control.ask(instance, "switches", path=instance.switch_socket)["machines"]


def run_fault(options: argparse.Namespace) -> int:
    instance = _instance(options)
    switches = _switches(instance)
    named = {text for one in switches for text in (one["name"], one["serial"])}
    path = instance.switch_socket if options.serial in named else None
    if options.clear or options.fault is None:
        verb = "clear" if options.clear else "faults"
        rows = control.ask(instance, verb, serial=options.serial, path=path)["machines"]
        if options.serial == "*" and switches:  # all is machines and switches
            rows += control.ask(instance, verb, serial="*", path=instance.switch_socket)["machines"]
    else:
        fault = _parsed("fault", options.fault, "python -m lab fault --help has an example")
        rows = control.ask(instance, "fault", serial=options.serial, fault=fault, path=path)["machines"]
    for one in rows:
        say(f"{one['name']} {one['serial']}: {json.dumps(one['faults'])}")
    return 0


def _parsed(what: str, given: str, fix: str) -> Any:
    try:
        return json.loads(given)
    except ValueError as error:
        raise LabError("LAB-012", what, given[:100], "JSON", fix) from error


def run_edit(options: argparse.Namespace) -> int:
    instance = _instance(options)
    change = _parsed("change", options.change, '\'{"interface": {"swp1": {"link": {"mtu": 1500}}}}\'')
    answer = control.ask(instance, "edit", serial=options.switch, change=change, path=instance.switch_socket)
    for one in answer["machines"]:
        say(f"{one['name']} {one['serial']}: changed by hand")
    return 0


def run_power(options: argparse.Namespace) -> int:
    for one in control.ask(_instance(options), "power", serial=options.serial, power=options.power)["machines"]:
        say(f"{one['name']} {one['serial']}: {one['power']}")
    return 0


RUN = {
    "up": run_up, "down": run_down, "status": run_status, "config-file": run_config_file, "fault": run_fault,
    "edit": run_edit, "power": run_power,
}  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Runs one command; the exit code."""
    options = parser().parse_args(argv)
    try:
        return RUN[options.command](options)
    except LabError as error:
        print(text(error), file=sys.stderr)
        return 1 if error.id == "LAB-009" else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `| head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
