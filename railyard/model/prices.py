"""A dated list of prices. A price without a date is no price: it is older than it looks."""

from typing import Annotated, Literal

from pydantic import Field

from railyard.model.entry import Entry

Usd = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class PriceModel(Entry):
    """What one piece costs, as a range in US dollars: a switch by its catalogue name, or a link (`link`: optics of both ends).

    `date` is the year, or year and month, that the price was said in.
    """

    low_usd: Usd
    high_usd: Usd
    unit: Literal["each", "link"]
    date: Annotated[str, Field(pattern=r"^20\d\d(-\d\d)?$")]
