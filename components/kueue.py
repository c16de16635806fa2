"""Kueue objects. `pulumi_kubernetes`' CustomResource only knows `spec`; some of these have top-level fields."""

from collections.abc import Mapping

import pulumi

API_VERSION = "kueue.x-k8s.io/v1beta2"


class KueueObject(pulumi.CustomResource):
    """One object of Kueue's API through pulumi-kubernetes; `fields` are its top-level fields (`spec`, `value`)."""

    def __init__(
        self,
        name: str,
        kind: str,
        metadata: Mapping[str, object],
        fields: Mapping[str, object],
        opts: pulumi.ResourceOptions,
    ) -> None:
        props = {"apiVersion": API_VERSION, "kind": kind, "metadata": dict(metadata), **fields}
        super().__init__(f"kubernetes:{API_VERSION}:{kind}", name, props, opts)
