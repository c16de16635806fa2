"""What the crew writes for the result of a cable's test, and what it means: for the next schedule and for the audit alike."""

LOSS_MAX_DB = 100.0
"""More than any tester shows."""
LOSS_LIMIT = f"a number of decibels from 0 to {LOSS_MAX_DB:g}, with a point, as 0.84"

RESULTS = {
    **dict.fromkeys(("pass", "passed", "ok", "good", "yes", "p"), "pass"),
    **dict.fromkeys(("fail", "failed", "bad", "no", "nok", "f"), "fail"),
}
"""Words, in small letters, and their meaning."""


def meaning(text: str) -> str | None:
    """`pass` or `fail`; empty where nothing is written, None for a word that means nothing here."""
    word = text.strip().lower()
    return RESULTS.get(word) if word else ""


def loss_db(text: str) -> float | None:
    """Decibels; None for a text that is no loss (a decimal comma included: `3,1` may be two cells)."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= LOSS_MAX_DB else None


def too_lossy(result: str, loss: str, budget_db: float | None) -> str:
    """What is wrong with a row that says pass and a loss beyond its class's budget in dB; empty where nothing is."""
    value = loss_db(loss) if loss.strip() else None
    if value is None or budget_db is None or meaning(result) != "pass" or value <= budget_db:
        return ""
    return f"passed its test with {value:g} dB, above its budget of {budget_db:g} dB"
