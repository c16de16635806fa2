"""Air: how dense it is, and how much of it carries some heat. Dry air; humidity is a matter of the dew point rule alone."""

from railyard.model.cooling import AirConditions, Cooling

CP_AIR_J_KG_K = 1006.0
"""Heat capacity of dry air at constant pressure, 0 to 60 °C (1005 to 1008). Source: ASHRAE Handbook Fundamentals, chapter 1."""
R_DRY_AIR = 287.042
"""Gas constant of dry air in J/(kg K). Source: ASHRAE Handbook Fundamentals, chapter 1 (Psychrometrics)."""
USUAL = Cooling(inlet_c=24.0, delta_k=12.0, altitude_m=0.0)
"""Stands in, and is said to, where a stack file states no air: inside of ASHRAE's 18 to 27 °C; rise of servers, 20 to 25 °F."""
M3_S_PER_CFM = 0.3048**3 / 60


def pressure_pa(altitude_m: float) -> float:
    """Pressure of the standard atmosphere: 101,325 x (1 - 2.25577e-5 x h)^5.2559 Pa, h in metres, up to 11 km.

    Source: ASHRAE Handbook Fundamentals, chapter 1, equation 3; the same as ISO 2533. Weather moves it by some 3 %.
    """
    return 101_325.0 * (1.0 - 2.25577e-5 * altitude_m) ** 5.2559


def density_kg_m3(air_c: float, altitude_m: float) -> float:
    """Density of dry air in kg/m3 by the ideal gas law: p(h) / (R x T), R = 287.042 J/(kg K), T = air_c + 273.15.

    1.204 at 20 °C and sea level; the standard atmosphere's 1.225 at 15 °C. Moisture is not counted: at 24 °C and 50 % relative
    humidity air is 0.6 % lighter and each kilogram carries 0.8 % more heat, which cancel to 0.2 %.
    """
    return pressure_pa(altitude_m) / (R_DRY_AIR * (air_c + 273.15))


def airflow_m3_s(heat_kw: float, density: float, rise_k: float) -> float:
    """Airflow in m3/s, measured at the density given, that carries heat with a rise: heat / (density x heat capacity x rise).

    In American units at 0.075 lb/ft3 it is the rule CFM = BTU/h / (1.08 x °F). Raises ZeroDivisionError for a rise of 0.
    """
    return heat_kw * 1000.0 / (density * CP_AIR_J_KG_K * rise_k)


def rise_k(heat_kw: float, density: float, flow_m3_s: float) -> float:
    """How much an airflow warms in kelvin: heat / (density x heat capacity x airflow)."""
    return heat_kw * 1000.0 / (density * CP_AIR_J_KG_K * flow_m3_s)


def conditions(stated: Cooling | None) -> AirConditions:
    """The air that a site's numbers are computed with."""
    air = stated or USUAL
    return AirConditions(
        inlet_c=air.inlet_c,
        delta_k=air.delta_k,
        altitude_m=air.altitude_m,
        density_kg_m3=round(density_kg_m3(air.inlet_c, air.altitude_m), 4),
        assumed=stated is None,
    )


def inlet_max_c(rated_c: float | None, altitude_m: float) -> float | None:
    """Warmest air that a device may get at an altitude: its maker's figure less 1 K for each 300 m above 900 m.

    Source: ASHRAE Thermal Guidelines for Data Processing Environments, class A2; a maker's own derating may be stricter.
    """
    return None if rated_c is None else round(rated_c - max(0.0, altitude_m - 900.0) / 300.0, 2)
