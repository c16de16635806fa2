"""`python -m providers.fabric`: the provider process, started by the engine."""

from providers.fabric.config import SwitchConfig
from providers.fabric.gate import FabricGate
from providers.kit import serve

VERSION = "0.1.0"

if __name__ == "__main__":
    serve("fabric", VERSION, {"fabric:index:SwitchConfig": SwitchConfig(), "fabric:index:FabricGate": FabricGate()})
