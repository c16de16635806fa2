"""How a text has to look, in words: what a person reads in place of a regular expression."""

FORMS: dict[str, str] = {
    r"^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$": "a name of at most 32 of a-z, 0-9 and inner hyphens, like my-site",
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$": "a name of at most 63 of a-z, 0-9 and inner hyphens, like my-site-su001-gpu01",
    r"^[0-9a-f]{64}$": "64 lower-case hexadecimal digits, as `sha256sum` prints them",
    r"^[^\x00]+$": "a path",
    r"^(file:[^\x00\n]+|env:[A-Za-z_][A-Za-z0-9_]*)$": "file:PATH or env:NAME",
    r"^(file|env):\S+$": "file:PATH or env:NAME",
    r"^[A-Za-z0-9:]([A-Za-z0-9.:-]*[A-Za-z0-9:])?$": "a host name or an address",
    r"^https?://[^/\s]+(/\S*)?$": "an http or https URL, like https://10.40.8.5:8443/copies",
    r"^https?://[^/\s]+$": "an http or https URL without a path, like https://10.40.8.5:8443",
    r"^https://[^/\s]+$": "an https URL without a path, like https://10.40.8.10:6443",
    r"^[^\s/]+$": "a host name or an address, with its port where it isn't the usual one",
    r"^[A-Za-z0-9][A-Za-z0-9 ._/-]*$": "letters, digits, blanks and . _ / - , beginning with a letter or a digit",
    r"^[A-Za-z0-9_.-]+$": "letters, digits and _ . -, like mlx5_0",
    r"^[A-Za-z0-9][A-Za-z0-9._-]*$": "a file name of letters, digits and . _ -, like ubuntu-24.04-gpu.img",
    r"^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$": "a PCI address in lower-case digits with its domain, like 0000:18:00.0",
    r"^0x[0-9a-f]{16}$": "0x and 16 lower-case hexadecimal digits",
    r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$": "6 pairs of lower-case hexadecimal digits with colons between, like 02:1f:d5:7c:de:e6",
    r"^SHA256:[A-Za-z0-9+/]{43}$": "a fingerprint as `ssh-keygen -lf` prints it: SHA256: and 43 characters",
    r"^[0-9]{1,2} ?- ?[0-9]{1,2}$": "a range of U, like 40-42",
    r"^[0-9][A-Za-z0-9._-]{0,31}$": "a release, like 5.14.0, in quotes",
    r"^1\.\d{1,2}\.\d{1,2}$": 'a Kubernetes version of three parts in quotes, like "1.36.3"',
    r"^[A-Z][A-Z0-9]*-[0-9.]+$": "the id of a rule, like POWER-001",
    r"^\d{4}-\d{2}-\d{2}$": 'an ISO date in quotes, like "2027-06-30"',
    r"^([a-z0-9][a-z0-9-]{0,31}-)?su(\d{3,}|\[\d{3,}-\d{3,}\])(-gpu(\d{2,}|\[\d{2,}-\d{2,}\]))?$": (
        "units and slots like su001, su[001-003] or su001-gpu[01-08], or a machine's full name"
    ),
}
"""Form by pattern. A test sees to it that every pattern of the stack file and of the inventory has its words."""


def looks(pattern: str) -> str:
    """How a text of a pattern looks."""
    return FORMS.get(pattern, "a text of the form that docs/reference/config.md names")
