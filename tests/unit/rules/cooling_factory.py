"""Small cooling slices that pass every rule, to be changed one field at a time."""

from railyard.model.cooling import (
    AirConditions,
    CoolingPool,
    CoolingUnit,
    HallCooling,
    HotModel,
    Intake,
    LiquidNeed,
    LoopWater,
    RackAir,
    RackDoor,
)


def conditions(**changes):
    fields = {"inlet_c": 24.0, "delta_k": 12.0, "altitude_m": 0.0, "density_kg_m3": 1.1879, "assumed": False}
    return AirConditions(**fields | changes)


def intake(**changes):
    """A switch whose air goes rear to front, its ports at the rack's rear."""
    fields = {
        "model": "qm9700",
        "role": "leaf",
        "us": (47, 48),
        "direction": "rear-to-front",
        "face": "rear",
        "takes": "cold",
        "both_ways": True,
        "air_kw": 1.7,
    }
    return Intake(**fields | changes)


def server(**changes):
    """A server of 10.2 kW whose fans warm the air by 16.4 K."""
    fields = {
        "model": "dgx-h100",
        "role": "gpu",
        "us": (1, 9),
        "direction": "front-to-rear",
        "face": "front",
        "both_ways": False,
    }
    facts = {"air_kw": 10.2, "airflow_m3_s": 0.521, "rise_k": 16.383, "inlet_c_max": 30.0}
    return intake(**fields | facts | changes)


def hot(**changes):
    fields = {
        "model": "dgx-h100",
        "gpu_model": "h100-80-sxm5",
        "gpu_w": 700.0,
        "devices": 2,
        "liquid_skus": ("A (4U)", "B (5U)"),
    }
    return HotModel(**fields | changes)


def need(**changes):
    fields = {"model": "sr780a", "devices": 2, "liquid_kw": 21.45, "only": False, "loop_c_max": 45.0}
    return LiquidNeed(**fields | changes)


def door(**changes):
    """A rear door of 50 kW with water of 18 °C and 80 kPa for its 51.2 kPa."""
    fields = {
        "model": "rear-door-50kw",
        "capacity_kw": 36.0,
        "hot_c": 36.0,
        "water_c": 18.0,
        "water_out_c": 23.0,
        "pressure_kpa": 51.2,
        "pressure_limit_kpa": 80.0,
        "air_max_m3_s": 3.5,
        "fluid": "water",
        "fluids": ("water", "pg25"),
    }
    return RackDoor(**fields | changes)


def rack_air(**changes):
    """Air of a rack of 20.4 kW in a hall that takes 25 kW."""
    fields = {
        "peak_kw": 20.4,
        "air_kw": 20.4,
        "liquid_kw": 0.0,
        "door_kw": 0.0,
        "room_kw": 20.4,
        "limit_kw": 25.0,
        "airflow_m3_s": 1.42,
        "conditions": conditions(),
        "intakes": (server(), intake()),
        "dew_point_c": 14.0,
    }
    return RackAir(**fields | changes)


def water(**changes):
    """Water of a CDU at half of its load, with room for all of it."""
    fields = {
        "water_c": 28.0,
        "water_flow_l_min": 1243.0,
        "water_out_c": 34.0,
        "worst_water_out_c": 40.0,
        "fluid": "water",
        "fluids": ("water", "pg25"),
        "pressure_kpa": 84.0,
        "pressure_limit_kpa": 100.0,
        "loop_c": 32.0,
        "loop_return_c": 44.0,
        "loop_fluid": "pg25",
        "loop_flow_l_min": 600.0,
        "worst_loop_flow_l_min": 1200.0,
        "loop_flow_max_l_min": 1200.0,
    }
    return LoopWater(**fields | changes)


def cdu(**changes):
    fields = {"name": "lab-cdu", "kind": "cdu", "model": "vertiv-xdu1350", "count": 2, "capacity_kw": 1368.0, "load_kw": 684.0}
    return CoolingUnit(**fields | {"worst_kw": 1368.0, "water": water()} | changes)


def liquid_pool(**changes):
    """Two CDUs, either of which carries the load."""
    fields = {
        "name": "lab-cdu",
        "medium": "liquid",
        "areas": ((1, 2),),
        "racks": 20,
        "load_kw": 1368.0,
        "units": (cdu(),),
        "largest": "lab-cdu",
        "capacity_kw": 2736.0,
        "failed_capacity_kw": 1368.0,
    }
    return CoolingPool(**fields | changes)


def air_pool(**changes):
    """Four air units, three of which carry the load and its air."""
    unit = CoolingUnit(
        name="lab-crah-row-001",
        kind="air-unit",
        model="crah",
        count=4,
        capacity_kw=120.0,
        airflow_m3_s=9.0,
        load_kw=90.0,
        worst_kw=120.0,
    )
    fields = {
        "name": "lab-crah-row-001",
        "medium": "air",
        "areas": ((1,), (2,), (3,)),
        "racks": 12,
        "load_kw": 360.0,
        "units": (unit,),
        "largest": "lab-crah-row-001",
        "capacity_kw": 480.0,
        "failed_capacity_kw": 360.0,
        "airflow_needed_m3_s": 27.0,
        "airflow_m3_s": 36.0,
        "failed_airflow_m3_s": 27.0,
        "door_kw": 0.0,
    }
    return CoolingPool(**fields | changes)


def hall(*pools, **changes):
    fields = {
        "stated": True,
        "conditions": conditions(),
        "dew_point_c": 14.0,
        "peak_kw": 2448.0,
        "room_kw": 1080.0,
        "door_kw": 0.0,
        "liquid_kw": 1368.0,
        "doors": (),
        "pools": pools or (liquid_pool(), air_pool()),
    }
    return HallCooling(**fields | changes)
