"""What counts as a new version, and as a structural one."""

import pytest

from resolvers.engines.catalog_diff import judge
from schema.utils.source_asset import ColumnChange, Judgement


@pytest.mark.parametrize(
    ("before", "after", "judgement"),
    [
        ({"description": "a"}, {"description": "a"}, None),
        ({"description": None}, {"description": ""}, None),
        ({"description": None}, {"description": "a"}, Judgement(False, added=("description",))),
        ({"description": "a"}, {"description": None}, Judgement(False, deleted=("description",))),
        ({"description": "a"}, {"description": "b"}, Judgement(False, updated=("description",))),
        ({"is_pii_tagged": False}, {"is_pii_tagged": True}, Judgement(False, updated=("is_pii_tagged",))),
        ({"owners": None}, {"owners": []}, None),
        ({"nullable": True}, {"nullable": False}, Judgement(False, updated=("nullable",))),
        ({"data_type": "INTEGER"}, {"data_type": "BIGINT"}, Judgement(True, updated=("data_type",))),
        ({"data_length": 40}, {"data_length": 20}, Judgement(True, updated=("data_length",))),
        ({"data_type": None}, {"data_type": "BIGINT"}, Judgement(False, added=("data_type",))),
        ({"data_type": "BIGINT"}, {"data_type": None}, Judgement(True, deleted=("data_type",))),
        ({"table_type": "TABLE"}, {"table_type": "VIEW"}, Judgement(True, updated=("table_type",))),
        ({"row_count": 5}, {"row_count": 6}, None),
        ({"ordinal_position": 5}, {"ordinal_position": 4}, None),
        ({"a": 1, "hidden": 2}, {"a": 1}, None),
    ],
)
def test_fields_decide(before, after, judgement):
    assert judge(before, after) == judgement


@pytest.mark.parametrize(
    ("change", "judgement"),
    [
        (ColumnChange("email", "added"), Judgement(False, added=("columns.email",))),
        (ColumnChange("email", "deleted"), Judgement(True, deleted=("columns.email",))),
        (
            ColumnChange("email", "updated", ("description", "nullable")),
            Judgement(False, updated=("columns.email.description", "columns.email.nullable")),
        ),
        (
            ColumnChange("email", "updated", ("data_type",), structural=True),
            Judgement(True, updated=("columns.email.data_type",)),
        ),
    ],
)
def test_a_table_follows_its_columns(change, judgement):
    assert judge({}, {}, [change]) == judgement


def test_a_judgement_is_written_as_the_contract_writes_it():
    judgement = judge(
        {"description": "a"}, {"description": "b"}, [ColumnChange("x", "added"), ColumnChange("y", "deleted")]
    )
    assert judgement is not None
    assert judgement.change_description("0.3") == {
        "fields_added": [{"field_name": "columns.x"}],
        "fields_updated": [{"field_name": "description"}],
        "fields_deleted": [{"field_name": "columns.y"}],
        "previous_version": "0.3",
    }
    assert judgement.change_summary() == {"structural": True, "added": 1, "updated": 1, "deleted": 1}
