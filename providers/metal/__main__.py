"""`python -m providers.metal`: the plugin process that the engine starts."""

from providers.kit import serve
from providers.metal.gate import FacilityGate
from providers.metal.installation import Installation
from providers.metal.machine import Machine

VERSION = "0.1.0"

if __name__ == "__main__":
    serve(
        "metal",
        VERSION,
        {
            "metal:index:Machine": Machine(),
            "metal:index:Installation": Installation(),
            "metal:index:FacilityGate": FacilityGate(),
        },
    )
