"""`kube:index:Cluster`: waits for the API server that the plan names, with the expected CA, version and kubeconfig."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from providers.kit import diffing
from providers.kit.cancel import Deadline
from providers.kit.errors import ProviderError
from providers.kit.references import read_file_reference, too_open
from providers.kit.resource import Call, Created, Properties, ReadBack, ResourceType
from providers.kit.values import UNKNOWN, has_unknown
from providers.kube import errors
from providers.kube.client import Client, ca_path, fingerprints
from providers.kube.kubeconfig import Kubeconfig, parse

PERIOD_S = 0.5


class Inputs(BaseModel):
    """What is wanted. `token`: outputs of the gates before it, only there for the order. `timeoutS`: how long to wait."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True, frozen=True)

    endpoint: Annotated[str, Field(pattern=r"^https://[^/\s]+/?$")]
    ca_file: Annotated[str, Field(min_length=1)]
    kubeconfig_ref: Annotated[str, Field(pattern=r"^(file|env):.+")]
    version: Annotated[str, Field(pattern=r"^1\.\d{1,2}(\.\d{1,3})?$")]
    token: str | tuple[str, ...] | None = None
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 120


def connect(endpoint: str, ca_file: str, kubeconfig_ref: str, where: str) -> tuple[Client, str]:
    """A client and the kubeconfig's text. Raises KubeError if kubeconfig, endpoint and CA don't mean the same cluster."""
    text = read_file_reference(kubeconfig_ref, where)
    config = parse(text, f"{where}.kubeconfigRef")
    if config.server != endpoint.rstrip("/"):
        raise errors.other_server(f"{where}.kubeconfigRef", config.server, endpoint)
    _compare_ca(config, ca_file, where)
    return Client(endpoint, ca_file, config), text


def _compare_ca(config: Kubeconfig, ca_file: str, where: str) -> None:
    wanted = fingerprints(ca_path(ca_file).read_text())
    if config.ca and not set(fingerprints(config.ca)) & set(wanted):
        raise errors.other_ca(f"{where}.kubeconfigRef", ca_file)


def server_version(client: Client) -> str:
    """`1.36.3` of the server's `v1.36.3`."""
    return str(client.get("/version").get("gitVersion", "")).removeprefix("v").partition("+")[0]


def minor(version: str) -> str:
    """`1.36` of `1.36.3`."""
    return ".".join(version.split(".")[:2])


class Cluster(ResourceType):
    """Makes nothing: it waits, checks, and hands on the kubeconfig (encrypted). Its id is the endpoint."""

    inputs_model: ClassVar[type[BaseModel] | None] = Inputs
    secret_outputs: ClassVar[frozenset[str]] = frozenset({"kubeconfig"})
    output_names: ClassVar[tuple[str, ...]] = ("kubeconfig", "caSha256", "serverVersion")

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:
        """A change of the wait or the version leaves kubeconfig and CA known: nothing behind it looks changed."""
        known = old_outputs if old_outputs and old_outputs.get("endpoint") == inputs.get("endpoint") else {}
        return {name: known.get(name, UNKNOWN) for name in self.output_names}

    def diff(self, old: Properties, new: Properties, call: Call) -> dict[str, diffing.Kind]:
        """Inputs only. Beside it one look: pulumi-kubernetes takes a silent API server for "nothing has changed"."""
        if not has_unknown(new):
            self._warn_where_silent(Inputs.model_validate(new), call)
        return super().diff(old, new, call)

    def _warn_where_silent(self, wanted: Inputs, call: Call) -> None:
        try:
            _look(connect(wanted.endpoint, wanted.ca_file, wanted.kubeconfig_ref, call.name)[0])
        except ProviderError as error:
            call.log.warning_once(f"platform objects not compared:\n{error}", call.urn)

    def create(self, inputs: Properties, call: Call) -> Created:
        return Created(str(inputs["endpoint"]), self._wait(inputs, call))

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        return self._wait(new, call)

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        """One look. A cluster of another minor version shows as drift of `version`; one that doesn't answer raises."""
        wanted = Inputs.model_validate(inputs)
        client, text = connect(wanted.endpoint, wanted.ca_file, wanted.kubeconfig_ref, call.name)
        found = _look(client)
        seen = inputs if minor(found) == minor(wanted.version) else {**inputs, "version": found}
        return ReadBack(seen, _outputs(client, text, found))

    def _wait(self, inputs: Properties, call: Call) -> Properties:
        wanted = Inputs.model_validate(inputs)
        warning = too_open(wanted.kubeconfig_ref)
        if warning:
            call.warning(warning)
        client, text = connect(wanted.endpoint, wanted.ca_file, wanted.kubeconfig_ref, call.name)
        found = self._until_ready(client, call.deadline(wanted.timeout_s), call)
        if minor(found) != minor(wanted.version):
            raise errors.other_version(wanted.endpoint, found, wanted.version)
        return _outputs(client, text, found)

    def _until_ready(self, client: Client, deadline: Deadline, call: Call) -> str:
        while True:
            try:
                return _look(client)
            except errors.KubeError as error:
                if error.final or deadline.passed():
                    raise
            call.cancel.wait(min(PERIOD_S, deadline.left()), call.name)


def _look(client: Client) -> str:
    """The server's version, once it says that it is ready."""
    answer = client.text("/readyz").strip()
    if answer != "ok":
        raise errors.not_ready(client.endpoint, f"/readyz answers {answer[:60]!r}")
    return server_version(client)


def _outputs(client: Client, kubeconfig: str, version: str) -> Properties:
    digests = fingerprints(ca_path(client.ca_file).read_text())
    return {"kubeconfig": kubeconfig, "caSha256": digests[0], "serverVersion": version}
