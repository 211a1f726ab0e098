"""Policies as memories say them: what can be read, what each is about, for whom it holds, and which one wins."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from resolvers.engines.sql_guard import Broken, Effect, MaskStyle, Policy, parse_policy, policies_for
from resolvers.engines.sql_guard.policies import ruling_of
from schema.utils.memory import (
    Memory,
    MemoryAccess,
    MemoryClassification,
    MemoryQuality,
    MemorySource,
    MemoryStatus,
    MemoryType,
    ValidationStatus,
)
from tests.engines.sql_guard.office import STAFF, guarded, policy, refusal

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def memory(content: Any, asset_fqn: str | None = None) -> Memory:
    fields = {name: None for name in Memory.model_fields}
    return Memory.model_construct(
        **{
            **fields,
            "id": "m1",
            "name": "Rule of the house",
            "content": content,
            "memory_type": MemoryType.POLICY,
            "asset_fqn": asset_fqn,
            "source": MemorySource(confidence=0.5),
            "classification": MemoryClassification(priority="normal"),
            "quality": MemoryQuality(
                validation_status=ValidationStatus.UNVALIDATED,
                confidence_score=None,
                validated_by=None,
                validated_at=None,
            ),
            "access": MemoryAccess(count=0, last_accessed=None, success_count=0, failure_count=0, success_rate=None),
            "status": MemoryStatus.ACTIVE,
            "created_at": NOW,
            "updated_at": NOW,
        }
    )


def read(content: Any, asset_fqn: str | None = None) -> Policy:
    found = parse_policy(memory(content, asset_fqn))
    assert isinstance(found, Policy), found
    return found


def test_a_policy_is_read_whole() -> None:
    found = read(
        {
            "effect": "mask",
            "tables": ["shop.main.*.customers"],
            "columns": ["*.email"],
            "tags": ["PII.*"],
            "data_types": ["date"],
            "groups": ["Analysts"],
            "except_users": ["Ada@Example.com"],
            "mask": "hash",
            "salt": "x",
            "reason": "The law",
        }
    )
    assert found == Policy(
        id="m1",
        name="Rule of the house",
        effect=Effect.MASK,
        tables=("shop.main.*.customers",),
        columns=("*.email",),
        tags=("PII.*",),
        data_types=frozenset({"DATE"}),
        groups=frozenset({"analysts"}),
        except_users=frozenset({"ada@example.com"}),
        mask=MaskStyle.HASH,
        salt="x",
    )
    assert read({"effect": "minimum_group_size", "tables": ["t"], "minimum": 9}).minimum == 9
    assert read({"effect": "aggregate_only", "columns": ["t.c"]}).minimum == 5
    assert read({"effect": "row_filter", "tables": ["t"], "condition": "a = 1"}).condition == "a = 1"
    assert read({"effect": "forbid"}, "shop.main.public.t").assets == ("shop.main.public.t",)


@pytest.mark.parametrize(
    "content",
    [
        {"type": "text", "text": "Never show salaries."},
        {},
        [],
        None,
        {"effect": "forbid"},
        {"effect": "hide", "tables": ["t"]},
        {"effect": None, "tables": ["t"]},
        {"effect": "forbid", "tables": "t"},
        {"effect": "forbid", "tables": [1]},
        {"effect": "forbid", "tables": [""]},
        {"effect": "forbid", "tables": ["a..b"]},
        {"effect": "forbid", "tables": ["*a*b*c*"]},
        {"effect": "forbid", "tables": ["t"] * 501},
        {"effect": "forbid", "tables": ["t"], "column": ["c"]},
        {"effect": "forbid", "tables": ["t"], "except_user": ["me"]},
        {"effect": "forbid", "tables": ["t"], "mask": "full"},
        {"effect": "mask", "columns": ["c"], "mask": "first3"},
        {"effect": "mask", "columns": ["c"], "salt": 3},
        {"effect": "row_filter", "tables": ["t"]},
        {"effect": "row_filter", "tables": ["t"], "condition": " "},
        {"effect": "row_filter", "columns": ["c"], "condition": "a = 1"},
        {"effect": "minimum_group_size", "tables": ["t"]},
        {"effect": "minimum_group_size", "tables": ["t"], "minimum": 0},
        {"effect": "minimum_group_size", "tables": ["t"], "minimum": True},
        {"effect": "minimum_group_size", "tables": ["t"], "minimum": "5"},
        {"effect": "minimum_group_size", "tables": ["t"], "minimum": 1_000_001},
        {"effect": "aggregate_only", "columns": ["c"], "users": "me"},
    ],
)
def test_a_policy_that_cannot_be_read_stops_everything_and_is_named_but_not_quoted(content: Any) -> None:
    broken = parse_policy(memory(content))
    assert isinstance(broken, Broken)
    assert broken.why
    assert policies_for([memory(content)], users=["me"]) == [broken]
    assert refusal("select id from staff", broken) == "policy_unreadable"
    with pytest.raises(Exception, match="Rule of the house") as refused:
        guarded("select title from depts", broken)
    assert "salaries" not in str(refused.value)


@pytest.mark.parametrize(
    ("how", "columns"),
    [
        ({"columns": ("s.memory.main.staff.salary",)}, {"salary"}),
        ({"columns": ("*.*.*.staff.salary",)}, {"salary"}),
        ({"columns": ("staff.salary",)}, {"salary"}),
        ({"columns": ("STAFF.SALARY",)}, {"salary"}),
        ({"columns": ("salary",)}, {"salary"}),
        ({"columns": ("staff.*",)}, set(STAFF.columns)),
        ({"columns": ("staff.sal*",)}, {"salary"}),
        ({"columns": ("staff.name",)}, {"Name"}),
        ({"columns": ("main.salary",)}, set()),
        ({"columns": ("other.salary",)}, set()),
        ({"columns": ("*.s.memory.main.staff.salary",)}, set()),
        ({"tags": ("PII.*",)}, {"email"}),
        ({"tags": ("pii.email",)}, {"email"}),
        ({"tags": ("PII",)}, set()),
        ({"tags": ("*",)}, {"email"}),
        ({"data_types": frozenset({"DATE"})}, {"born"}),
        ({"data_types": frozenset({"DATE"}), "columns": ("salary",)}, {"born", "salary"}),
        ({"data_types": frozenset({"DATE"}), "tables": ("staff",)}, {"born"}),
        ({"data_types": frozenset({"DATE"}), "tables": ("orders",)}, set()),
        ({"tables": ("staff",)}, set(STAFF.columns)),
        ({"tables": ("s.memory.*.staff",)}, set(STAFF.columns)),
        ({"assets": ("s.memory.main.staff",)}, set(STAFF.columns)),
        ({"assets": ("s.memory",)}, set(STAFF.columns)),
        ({"assets": ("s.memory.main.staff.salary",)}, {"salary"}),
        ({"assets": ("s.memory.main.sta",)}, set()),
        ({"assets": ("s.memory.main.other",)}, set()),
    ],
)
def test_a_policy_is_about_the_columns_that_it_names(how: dict[str, Any], columns: set[str]) -> None:
    assert set(ruling_of(STAFF, [policy("aggregate_only", **how)]).guarded) == columns


def test_a_tag_of_a_table_holds_for_the_table_and_a_type_that_nobody_knows_counts_as_any() -> None:
    tagged = replace(STAFF, tags=("PII",))
    assert ruling_of(tagged, [policy("forbid", tags=("PII.*",))]).table_forbidden is not None
    assert set(ruling_of(tagged, [policy("mask", tags=("PII.*",))]).masks) == set(STAFF.columns)
    unknown = replace(STAFF, types=())
    assert set(ruling_of(unknown, [policy("mask", data_types=frozenset({"DATE"}))]).masks) == set(STAFF.columns)


@pytest.mark.parametrize(
    ("how", "holds"),
    [
        ({}, True),
        ({"users": frozenset({"u1"})}, True),
        ({"users": frozenset({"ada@example.com"})}, True),
        ({"users": frozenset({"u2"})}, False),
        ({"groups": frozenset({"analysts"})}, True),
        ({"groups": frozenset({"finance"})}, False),
        ({"users": frozenset({"u2"}), "groups": frozenset({"analysts"})}, True),
        ({"except_users": frozenset({"u1"})}, False),
        ({"except_users": frozenset({"u2"})}, True),
        ({"except_groups": frozenset({"analysts"})}, False),
        ({"users": frozenset({"u1"}), "except_groups": frozenset({"analysts"})}, False),
    ],
)
def test_a_policy_holds_for_everybody_but_those_it_leaves_out(how: dict[str, Any], holds: bool) -> None:
    assert policy("forbid", tables=("t",), **how).holds_for(["u1", "Ada@Example.com"], ["Analysts"]) is holds


def test_the_strictest_policy_wins() -> None:
    every = [
        policy("mask", "a", columns=("salary", "email", "born", "id"), mask=MaskStyle.HASH),
        policy("mask", "b", columns=("email",), mask=MaskStyle.LAST4),
        policy("aggregate_only", "c", columns=("salary", "born"), minimum=3),
        policy("aggregate_only", "d", columns=("salary",), minimum=7),
        policy("forbid", "e", columns=("born",)),
        policy("minimum_group_size", "f", tables=("staff",), minimum=2),
        policy("minimum_group_size", "g", tables=("staff",), minimum=4),
        policy("row_filter", "h", tables=("staff",), condition="id > 1"),
        policy("row_filter", "i", tables=("staff",), condition="id < 9"),
    ]
    found = ruling_of(STAFF, every)
    assert set(found.forbidden) == {"born"}
    assert {name: least for name, (least, _) in found.guarded.items()} == {"salary": 7}
    assert {name: style for name, (style, _, _) in found.masks.items()} == {
        "email": MaskStyle.FULL,
        "id": MaskStyle.HASH,
    }
    assert found.minimum == 4
    assert [one.id for one in found.filters] == ["h", "i"]
