"""Hardening: what the API server and the BMCs must be. CIS ids: CIS Kubernetes Benchmark 1.12 (kube-bench cfg/cis-1.12)."""

from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address
from typing import Protocol

from railyard.model.base import Noun
from railyard.model.plan import PlatformPlan
from railyard.model.site import Bmc
from railyard.plan.names import listed
from railyard.rules.hardening_texts import BMC_001, BMC_002, CIS_ANONYMOUS, CIS_AUDIT, CIS_ENCRYPTION, K8S_001, SEC_001
from railyard.rules.registry import Finding, Predicate, Rule, ordered, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

_CONTROL_PLANE = "railyard:platform.controlPlane"
_BMC = "railyard:bmc"
_DEFAULT_PROVIDER = "default"


class ApiServer(Protocol):
    """What is judged of a control plane: `ControlPlane` of the stack file and `PlatformPlan` both have it."""

    @property
    def encrypt_secrets(self) -> bool: ...
    @property
    def anonymous_auth(self) -> bool: ...
    @property
    def audit_log(self) -> bool: ...


class MachineAccess(Noun):
    """How a BMC is reached: `verifyTls` of a Machine's inputs. Left out counts as off."""

    verify_tls: bool = False


class MachineAccounts(Noun):
    """The section `accounts` of a Machine's inputs. Left out, the factory account stays."""

    remove_factory: bool = False


def check_control_plane(server: ApiServer) -> list[Finding]:
    """CIS-1.2.1, CIS-1.2.16 and CIS-1.2.27, at the keys of the stack file."""
    return ordered(finding for rule in (_encryption, _anonymous, _audit) for finding in rule(server, "", DEFAULTS))


def check_bmc(bmc: Bmc) -> list[Finding]:
    """BMC-001 and BMC-002 for all machines at once, from the stack file."""
    access, accounts = MachineAccess(verify_tls=bmc.verify_tls), MachineAccounts(remove_factory=bmc.remove_factory_account)
    return ordered([*run(ACCESS_PREDICATES, access, "", DEFAULTS), *run(ACCOUNT_PREDICATES, accounts, "", DEFAULTS)])


def check_kubernetes_provider(resource_type: str, name: str, provider: str | None) -> list[Finding]:
    """K8S-001: `provider` is the provider's resource name; the engine calls the default one `default` or `default_<version>`.

    None means that the resource has no provider of its own (a component): its children are judged instead.
    """
    if not resource_type.startswith("kubernetes:") or provider is None:
        return []
    if provider != _DEFAULT_PROVIDER and not provider.startswith(f"{_DEFAULT_PROVIDER}_"):
        return []
    found = f"{resource_type} is on the default provider ({provider}), whichever cluster the ambient kubeconfig names"
    return [K8S_001.finding(name, found, "an explicit provider made from the Cluster resource")]


def check_passphrase(
    encryption_salt: str | None, passphrase_is_example: bool, has_secure: bool, bmc_hosts: Iterable[str]
) -> list[Finding]:
    """SEC-001: the published example passphrase protects nothing, so nothing real may hang on it.

    Addresses are `host`, `host:port` or `[v6]:port`; a name that is no address counts as real hardware unless it is localhost.
    """
    if encryption_salt is None or not passphrase_is_example:
        return []
    real = sorted({host for host in bmc_hosts if not _is_loopback(host)})
    reasons = [*(["`secure:` values are in the stack file"] if has_secure else [])]
    if real:
        reasons.append(f"it has BMCs that are not on loopback: {listed(real)}")
    found = "the stack file is encrypted with the published example passphrase while {}"
    return ordered(SEC_001.finding("encryptionsalt", found.format(why), "loopback BMCs and no secrets") for why in reasons)


def _is_loopback(address: str) -> bool:
    host = address.partition("]")[0].removeprefix("[") if address.startswith("[") else address
    host = host.rpartition(":")[0] if host.count(":") == 1 else host
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _switch(rule: Rule, key: str, wanted: bool) -> Callable[[bool], Iterator[Finding]]:
    """A judgement of one boolean key: anything but the wanted value is a finding."""

    def judge(value: bool) -> Iterator[Finding]:
        if value is not wanted:
            yield rule.finding(key, f"{key.rpartition('.')[2]}: {str(value).lower()}", str(wanted).lower())

    return judge


_ENCRYPTED = _switch(CIS_ENCRYPTION, f"{_CONTROL_PLANE}.encryptSecrets", True)
_ANONYMOUS = _switch(CIS_ANONYMOUS, f"{_CONTROL_PLANE}.anonymousAuth", False)
_AUDITED = _switch(CIS_AUDIT, f"{_CONTROL_PLANE}.auditLog", True)
_VERIFIED = _switch(BMC_001, f"{_BMC}.verifyTls", True)
_REMOVED = _switch(BMC_002, f"{_BMC}.removeFactoryAccount", True)


def _encryption(server: ApiServer, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    return _ENCRYPTED(server.encrypt_secrets)


def _anonymous(server: ApiServer, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    return _ANONYMOUS(server.anonymous_auth)


def _audit(server: ApiServer, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    return _AUDITED(server.audit_log)


def _tls(access: MachineAccess, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    return _VERIFIED(access.verify_tls)


def _factory(accounts: MachineAccounts, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    return _REMOVED(accounts.remove_factory)


PLATFORM_PREDICATES: tuple[Predicate[PlatformPlan], ...] = (
    Predicate((CIS_ENCRYPTION,), frozenset({"encrypt_secrets"}), _encryption),
    Predicate((CIS_ANONYMOUS,), frozenset({"anonymous_auth"}), _anonymous),
    Predicate((CIS_AUDIT,), frozenset({"audit_log"}), _audit),
)
ACCESS_PREDICATES: tuple[Predicate[MachineAccess], ...] = (Predicate((BMC_001,), frozenset({"verify_tls"}), _tls),)
ACCOUNT_PREDICATES: tuple[Predicate[MachineAccounts], ...] = (Predicate((BMC_002,), frozenset({"remove_factory"}), _factory),)
