"""Storage, in-band and out-of-band networks: sizes (`dual`, `oob`, `layout`), cables (`links`, `copper`), slices (`summary`).

Every port follows identity and planned counts (house rule 9), as in the training fabric: growth inside the plan moves nothing.
"""
