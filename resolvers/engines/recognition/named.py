"""Columns whose name alone says that they hold a secret or the number of an identity, before anybody has looked.

Only names that hardly ever mean something else: `token`, `card`, `race` and `pin` do. What they hold is found by its
values (`recognize`), which takes a run of tagging; until then, a guess too many costs less than a password shown.
"""

from typing import Final

from resolvers.engines.recognition.hints import words
from schema.data_readiness.source import ColumnFacts

_PHRASES: Final = (
    "password", "passwd", "pwd", "passphrase", "password hash", "hashed password", "pass hash", "pw hash",
    "encrypted password", "password digest", "password salt", "passwort", "kennwort", "mot de passe", "contrasena",
    "api key", "apikey", "secret key", "access key", "private key", "client secret", "api secret", "app secret",
    "access token", "refresh token", "auth token", "api token", "bearer token", "session token", "totp secret",
    "ssn", "social security", "social security number", "social security no", "national id", "national identity number",
    "national insurance number", "national identification number", "personnummer", "fodselsnummer", "henkilotunnus",
    "codice fiscale", "sozialversicherungsnummer", "aadhaar", "aadhaar number", "passport number", "passport no",
    "nhs number", "health insurance number", "medical record number", "medicare number", "medicare id",
    "credit card number", "card number", "cc number", "cvv", "cvc", "iban",
)  # fmt: skip
_ENDS: Final = frozenset(phrase.replace(" ", "") for phrase in _PHRASES)
"""The phrases, written together."""
_LONGEST: Final = max(len(phrase.split()) for phrase in _PHRASES)
_NO_VALUES: Final = frozenset({"BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "DATETIME", "INTERVAL"})
"""Types that tell of such a thing, such as when it was set, and hold none."""


def is_restricted_by_name(column: ColumnFacts) -> bool:
    """Return whether the name of a column ends in such a phrase, as `user_password` and `employeeSSN` do."""
    base = (column.data_type or "").upper().partition("(")[0].strip()
    if base in _NO_VALUES or base.startswith("TIMESTAMP"):
        return False
    spoken = words(column.name)
    return any("".join(spoken[-many:]) in _ENDS for many in range(1, min(_LONGEST, len(spoken)) + 1))
