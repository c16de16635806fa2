"""NetBox's documented columns of bulk import, and fields of component templates in a device type's YAML.

Read off NetBox 4.7 (netbox/dcim/forms/bulk_import.py, Meta.fields of each form, and object_import.py). A test holds that every
column we write is one of these; NetBox itself runs nowhere here. `OLDER` lists columns of ours that 4.2 does not have.
"""

VERSION = "4.7"
DOCUMENTED: dict[str, tuple[str, ...]] = {
    "manufacturers": ("name", "slug", "description", "owner", "comments", "tags"),
    "device-roles": (
        "name", "slug", "parent", "color", "vm_role", "config_template", "description", "owner", "comments", "tags",
    ),
    "sites": (
        "name", "slug", "status", "region", "group", "tenant", "facility", "time_zone", "description", "physical_address",
        "shipping_address", "latitude", "longitude", "owner", "comments", "tags",
    ),
    "locations": (
        "site", "parent", "name", "slug", "status", "tenant", "facility", "description", "owner", "comments", "tags",
    ),
    "racks": (
        "site", "location", "group", "name", "facility_id", "tenant", "status", "role", "rack_type", "form_factor", "serial",
        "asset_tag", "width", "u_height", "desc_units", "outer_width", "outer_height", "outer_depth", "outer_unit",
        "mounting_depth", "airflow", "cooling_capability", "cooling_capacity", "weight", "max_weight", "weight_unit",
        "description", "owner", "comments", "tags",
    ),
    "rack-reservations": (
        "site", "location", "rack", "units", "status", "tenant", "description", "owner", "comments", "tags",
    ),
    "device-types": (
        "manufacturer", "default_platform", "model", "slug", "part_number", "u_height", "exclude_from_utilization",
        "is_full_depth", "subdevice_role", "airflow", "cooling_method", "description", "weight", "weight_unit", "end_of_life",
        "owner", "comments", "tags",
    ),
    "devices": (
        "name", "role", "tenant", "manufacturer", "device_type", "platform", "serial", "asset_tag", "status", "site",
        "location", "rack", "position", "face", "latitude", "longitude", "parent", "device_bay", "airflow", "cooling_method",
        "virtual_chassis", "vc_position", "vc_priority", "cluster", "description", "config_template", "owner", "comments",
        "tags",
    ),
    "power-panels": ("site", "location", "name", "description", "owner", "comments", "tags"),
    "power-feeds": (
        "site", "power_panel", "location", "rack", "name", "status", "type", "mark_connected", "supply", "phase", "voltage",
        "amperage", "max_utilization", "tenant", "description", "owner", "comments", "tags",
    ),
    "power-ports": (
        "device", "name", "label", "type", "mark_connected", "maximum_draw", "allocated_draw", "description", "owner", "tags",
    ),
    "power-outlets": (
        "device", "name", "label", "type", "color", "mark_connected", "power_port", "feed_leg", "description", "owner", "tags",
    ),
    "interfaces": (
        "device", "name", "label", "parent", "bridge", "lag", "type", "channels", "channel_id", "speed", "duplex", "enabled",
        "mark_connected", "wwn", "vdcs", "mtu", "mgmt_only", "description", "poe_mode", "poe_type", "mode", "vlan_group",
        "untagged_vlan", "tagged_vlans", "qinq_svlan", "vrf", "rf_role", "rf_channel", "rf_channel_frequency",
        "rf_channel_width", "tx_power", "owner", "tags",
    ),
    "cables": (
        "side_a_site", "side_a_device", "side_a_power_panel", "side_a_type", "side_a_name", "side_b_site", "side_b_device",
        "side_b_power_panel", "side_b_type", "side_b_name", "type", "status", "profile", "tenant", "bundle", "label", "color",
        "length", "length_unit", "description", "owner", "comments", "tags",
    ),
}  # fmt: skip
TEMPLATES: dict[str, tuple[str, ...]] = {
    "power-ports": ("name", "label", "type", "maximum_draw", "allocated_draw", "description"),
    "power-outlets": ("name", "label", "type", "power_port", "feed_leg", "description"),
    "interfaces": (
        "name", "label", "type", "channels", "channel_id", "enabled", "mgmt_only", "description", "poe_mode", "poe_type",
        "rf_role",
    ),
}  # fmt: skip
"""Fields of component templates, without the type that they belong to."""
WRITTEN: dict[str, tuple[str, ...]] = {
    "manufacturers": ("name", "slug"),
    "device-roles": ("name", "slug", "color"),
    "sites": ("name", "slug", "status"),
    "locations": ("site", "name", "slug", "status"),
    "racks": (
        "site", "location", "name", "facility_id", "status", "width", "u_height", "outer_width", "outer_depth", "outer_unit",
        "max_weight", "weight_unit", "description",
    ),
    "rack-reservations": ("site", "location", "rack", "units", "status", "description"),
    "devices": (
        "name", "role", "manufacturer", "device_type", "serial", "status", "site", "location", "rack", "position", "face",
        "description",
    ),
    "power-panels": ("site", "name", "description"),
    "power-feeds": (
        "site", "power_panel", "location", "rack", "name", "status", "type", "supply", "phase", "voltage", "amperage",
        "max_utilization", "description",
    ),
    "power-cables": (
        "side_a_device", "side_a_power_panel", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name",
        "type", "status", "label",
    ),
    "cables": (
        "side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name", "type", "status", "label",
        "color", "length", "length_unit", "description",
    ),
    "interfaces": ("device", "name", "label", "type", "mgmt_only", "description"),
    "power-ports": ("device", "name", "type", "maximum_draw", "allocated_draw"),
    "power-outlets": ("device", "name", "type", "power_port", "feed_leg", "description"),
}  # fmt: skip
"""What we write of each: what a plan knows, and what NetBox requires."""
OLDER = {"rack-reservations": ("status",), "power-cables": ("side_a_power_panel",)}
