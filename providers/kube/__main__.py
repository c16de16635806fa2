"""`python -m providers.kube`: the provider process (the engine starts it through `pulumi-resource-kube`)."""

from providers.kit.serve import serve
from providers.kube.cluster import Cluster
from providers.kube.gate import AdmissionGate

VERSION = "0.1.0"

if __name__ == "__main__":
    serve("kube", VERSION, {"kube:index:Cluster": Cluster(), "kube:index:AdmissionGate": AdmissionGate()})
