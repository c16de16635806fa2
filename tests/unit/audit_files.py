"""What the tests of readers, audit and command share: the samples, and a design file's audit in one call."""

from pathlib import Path

from railyard.audit import audit, design_from, design_of
from railyard.load.audit_design import read_audit_design
from railyard.plan import plan
from railyard.read import read_fabric
from tests.built_fabric import Built
from tests.planned_site import make_site

DATA = Path(__file__).parents[1] / "data" / "audit"


def design(name="gb-576.yaml"):
    return design_from(read_audit_design(DATA / name))


def observed(*names):
    return read_fabric([(name, (DATA / name).read_bytes()) for name in names])


def seen(text, name="file.txt"):
    return read_fabric([(name, text if isinstance(text, bytes) else text.encode())])


def audited(text, wanted=None, **options):
    return audit(wanted or design(), seen(text), **options)


def ids(result):
    return [finding.id for finding in result.findings]


def planned(**options):
    config = make_site(**options)
    made = plan(config)
    return made, design_of(made, config.catalog, config.inventory)


def training(wanted):
    """Built as planned, without the networks that ibnetdiscover can't see."""
    made = Built(wanted, describe=lambda name: f"MF0;{name}:MQM9700/U1")
    made.remove([index for index, link in enumerate(wanted.links) if link.network != "training"])
    return made


def at(built, a=None, z=None):
    """Index of the link with a lower or upper end."""
    return next(i for i, (low, up, _) in enumerate(built.links) if str(low) == a or str(up) == z)


def check(wanted, built, **options):
    """The audit of what ibnetdiscover prints of a built fabric."""
    return audit(wanted, seen(built.ibnetdiscover()), **options)
