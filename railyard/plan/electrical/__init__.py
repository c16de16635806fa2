"""Power: devices to outlets, outlets to banks, strips, feeds, busways, panels, UPS and supply. No judgement: rules compare.

Order of a plan: `Electrics` computes each kind of rack once (facts, supplies dealt to feeds, plugs to outlets, vector sums);
`finish` adds racks up along the path of `railyard:power`. `cords_of` and `power_of` are for who needs single cords.
"""

from railyard.plan.electrical.capacity import feed_capacity_kw, heat_to_air_kw
from railyard.plan.electrical.cords import cords_of, power_of, strip_name
from railyard.plan.electrical.electrics import Electrics
from railyard.plan.electrical.worst import WorstFeed, hall_power, worst_feeds

__all__ = [
    "Electrics",
    "WorstFeed",
    "cords_of",
    "feed_capacity_kw",
    "hall_power",
    "heat_to_air_kw",
    "power_of",
    "strip_name",
    "worst_feeds",
]
