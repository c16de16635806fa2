"""`python -m providers.kube`: the provider process (the engine starts it through `pulumi-resource-kube`)."""

from providers.kit.serve import serve
from providers.kube.aside import SetAside
from providers.kube.cluster import Cluster
from providers.kube.gate import AdmissionGate

VERSION = "0.1.0"

if __name__ == "__main__":
    types = {"kube:index:Cluster": Cluster(), "kube:index:SetAside": SetAside(), "kube:index:AdmissionGate": AdmissionGate()}
    serve("kube", VERSION, types)
