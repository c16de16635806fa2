"""Link widths and speeds as InfiniBand tools print them -> gigabits of data per second."""

RATE_WORDS: dict[str, float] = {
    "SDR": 2.0, "DDR": 4.0, "QDR": 8.0, "FDR10": 10.0, "FDR": 13.640625,
    "EDR": 25.0, "HDR": 50.0, "NDR": 100.0, "XDR": 200.0,
}  # fmt: skip
"""Data rate of one lane. SDR to QDR are coded 8b/10b, FDR and EDR 64b/66b; from HDR on the names are the data rates."""

SIGNAL_RATES: dict[str, float] = {
    "2.5": 2.0, "5.0": 4.0, "10.0": 8.0, "14.0625": 13.640625,
    "25.78125": 25.0, "53.125": 50.0, "106.25": 100.0, "212.5": 200.0,
}  # fmt: skip
"""Signal rate of a lane as iblinkinfo prints it, coding included -> data rate of the lane (NVIDIA/nccl-tests#71)."""

WIDTHS = frozenset({1, 2, 4, 8, 12})
