"""Configuration of the subnet manager, in two renderings, with its GUID files.

`proof` is for OpenSM 3.3.23 (Debian, Ubuntu) and is what the proof tier runs, byte for byte but for the folder. `production` is
for NVIDIA's subnet manager (MLNX_OFED, DOCA, UFM) with adaptive routing and SHARP: no program of ours has read it, and it says
so. A log for each subnet: one host may run a manager for several. Key names: template of OpenSM 3.3.23 (`opensm -c`); release
notes of MLNXSM 5.10 (`ar_updn`). Source: opensm(8) 3.3.23.
"""

from collections.abc import Iterable

from railyard.model.infiniband import InfiniBandPlan, Role, Subnet
from railyard.render.infiniband.netlist import guid_note

FOLDER = "/etc/opensm"
"""Where the files lie on the subnet manager's host."""

_PROOF_HEAD = """\
# Subnet manager of {name}, for OpenSM 3.3.23. Routed in the proof tier of railyard with this very text.
# One dead cable must not stop the subnet: the root file keeps ftree going where the tree has a hole, updn is the way out.
"""
_PRODUCTION_HEAD = """\
# Subnet manager of {name}, for NVIDIA's OpenSM 5.10 or later (MLNX_OFED, DOCA, UFM).
# NOT RUN: no program read this file before it came to you. Compare it with `opensm -c` of your release first.
"""


def opensm_proof(subnet: Subnet, folder: str = FOLDER) -> str:
    """opensm.conf for OpenSM 3.3.23: ftree by root, compute and storage GUIDs, up/down where ftree can't."""
    engines = "ftree,updn" if subnet.tiers > 1 else "updn"
    keys = [*_common(subnet, folder), ("routing_engine", engines), ("max_reverse_hops", "0"), ("qos", "FALSE")]
    return _PROOF_HEAD.format(name=subnet.name) + _hosts(subnet) + _lines(keys)


def opensm_production(subnet: Subnet, choice: InfiniBandPlan | None, folder: str = FOLDER) -> str:
    """opensm.conf for NVIDIA's subnet manager. Adaptive routing needs the same roots; SHARP's trees are its own manager's.

    That one runs beside the subnet manager on a fabric manager's host: SHARP stays off until the site asks for it.
    """
    engine = "ar_updn" if choice is None or choice.adaptive_routing else "ftree,updn"
    wanted = choice is not None and choice.sharp
    sharp = "2" if wanted else "0"
    keys = [*_common(subnet, folder), ("routing_engine", engine), ("sharp_enabled", sharp), ("qos", "TRUE")]
    return _PRODUCTION_HEAD.format(name=subnet.name) + _hosts(subnet) + (_aggregation(subnet) if wanted else "") + _lines(keys)


def _aggregation(subnet: Subnet) -> str:
    """Where SHARP's aggregation manager runs."""
    hosts = sorted({adapter.device for adapter in subnet.adapters if adapter.role == "manager"})
    where = (
        f"on {' or '.join(hosts)}, beside the master subnet manager" if hosts else "nowhere: no host is planned (FABRIC-079)"
    )
    return f"# SHARP's aggregation manager (sharp_am, a plugin of UFM) runs {where}.\n"


def root_guids(subnet: Subnet) -> str:
    """Node GUIDs of the switches of the top tier: ranks are counted from them."""
    return guid_note(subnet) + _guids(switch.guid for switch in subnet.roots())


def port_guids(subnet: Subnet, role: Role) -> str:
    """Port GUIDs (never node GUIDs) of the adapters of one role: cn_guid_file takes compute, io_guid_file storage."""
    lines = _guids(adapter.port_guid for adapter in subnet.adapters if adapter.role == role)
    return guid_note(subnet) + lines if lines else ""


def guid_files(subnet: Subnet) -> dict[str, str]:
    """File name -> content. A role without adapters has no file: ftree would take an empty list for "none of them counts"."""
    files = {"root_guids.conf": root_guids(subnet)}
    roles: tuple[tuple[str, Role], ...] = (("cn_guids.conf", "compute"), ("io_guids.conf", "storage"))
    return files | {name: text for name, role in roles if (text := port_guids(subnet, role))}


def _hosts(subnet: Subnet) -> str:
    """Where it runs. A host with ports in several subnets must be told which port is meant; that differs by host."""
    managers = [adapter for adapter in subnet.adapters if adapter.role == "manager"]
    if not managers:
        return "# No fabric manager's host is planned: a switch's own subnet manager has no such file.\n"
    return "".join(f"# On {row.device}, port {row.hca}: add `guid 0x{row.port_guid:016x}`.\n" for row in managers)


def _common(subnet: Subnet, folder: str) -> list[tuple[str, str]]:
    files = guid_files(subnet)
    keys = [
        ("subnet_prefix", f"0x{subnet.prefix:016x}"),
        ("lmc", "0"),
        ("sm_priority", "14"),
        ("sweep_interval", "10"),
        ("log_file", f"/var/log/opensm-{subnet.name}.log"),
        ("max_wire_smps", "64"),
        ("partition_config_file", f"{folder}/partitions.conf"),
        ("part_enforce", "both"),
        ("node_name_map_name", f"{folder}/node-name-map"),
        ("root_guid_file", f"{folder}/root_guids.conf"),
    ]
    return keys + [(f"{name[:2]}_guid_file", f"{folder}/{name}") for name in sorted(files) if name[:2] in ("cn", "io")]


def _lines(keys: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{key} {value}\n" for key, value in sorted(keys))


def _guids(numbers: Iterable[int]) -> str:
    return "".join(f"0x{number:016x}\n" for number in sorted(numbers))
