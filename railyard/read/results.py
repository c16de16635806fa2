"""What the crew writes for the result of a cable's test, and what it means: for the next schedule and for the audit alike."""

RESULTS = {
    **dict.fromkeys(("pass", "passed", "ok", "good", "yes", "p"), "pass"),
    **dict.fromkeys(("fail", "failed", "bad", "no", "nok", "f"), "fail"),
}
"""Words, in small letters, and their meaning."""


def meaning(text: str) -> str | None:
    """`pass` or `fail`; empty where nothing is written, None for a word that means nothing here."""
    word = text.strip().lower()
    return RESULTS.get(word) if word else ""
