"""Names that alone say that a column holds a secret or the number of an identity."""

import pytest

from resolvers.engines.recognition.named import is_restricted_by_name
from schema.data_readiness.source import ColumnFacts


@pytest.mark.parametrize(
    ("name", "kind", "is_restricted"),
    [
        ("password", "VARCHAR(60)", True),
        ("user_password", "TEXT", True),
        ("PasswordHash", "BYTEA", True),
        ("employeeSSN", "INTEGER", True),
        ("apiKey", None, True),
        ("Social Security No", "TEXT", True),
        ("passport_number", "TEXT", True),
        ("password_changed_at", "TIMESTAMP", False),
        ("password", "TIMESTAMP WITH TIME ZONE", False),
        ("has_password", "BOOLEAN", False),
        ("token", "TEXT", False),
        ("card", "TEXT", False),
        ("race", "TEXT", False),
        ("player_id", "TEXT", False),
        ("key", "TEXT", False),
        ("session", "TEXT", False),
    ],
)
def test_a_name_is_enough_only_where_it_means_nothing_else(name: str, kind: str | None, is_restricted: bool) -> None:
    assert is_restricted_by_name(ColumnFacts(f"s.d.p.t.{name}", name, 1, kind)) is is_restricted
