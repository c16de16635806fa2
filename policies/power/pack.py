"""Policies of the power pack. Not policies.py: the engine puts this folder on sys.path, where that hides the package."""

from pulumi_policy import Policy, Severity

from policies.common import policies, slice_topic
from railyard.rules.slices import RACK

TOPICS = (
    slice_topic(
        "rack-power",
        "Each feed carries its rack, alone and together, within derated breakers; so do the power supplies on it",
        (RACK,),
        ("POWER-001", "POWER-002", "POWER-003", "POWER-004", "POWER-005"),
        Severity.CRITICAL,
        ("survivor_percent_max", "feed_percent_max", "continuous_rating_max"),
    ),
    slice_topic(
        "rack-heat-and-weight",
        "Air takes the heat, frame and floor take the weight, devices have room",
        (RACK,),
        ("COOL-001", "RACK-001", "RACK-002", "RACK-003"),
        Severity.HIGH,
        ("air_percent_max", "weight_percent_max"),
    ),
)
POLICIES: list[Policy] = [*policies("power", TOPICS)]
