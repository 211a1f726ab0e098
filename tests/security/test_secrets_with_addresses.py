"""Every config that holds a secret beside an address: a field either says where the secret goes, or is known not to."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from persistence.connectors import CONNECTION_TYPES, connector_class
from persistence.connectors.core.destination import HARMLESS, destination
from resolvers.authors import ADDRESS
from schema.assets.model_check import ModelVerify
from schema.data_readiness.workflow_definition import DEFINITIONS
from schema.talk2data.chat_settings import ChatSettingsChange

LEAST: Mapping[str, dict[str, Any]] = {
    "database_config": {"host": "h", "database": "d"},
    "storage_config": {"bucket": "b"},
    "filesystem_config": {"path": "//h/s"},
}
OTHER: Mapping[str, Any] = {
    "host": "other.example", "port": 7, "database": "other", "auth_type": "other", "ssl_mode": "verify-ca",
    "selected_tables": [{"database_name": "d"}], "db_schema": "other", "bucket": "other", "region": "eu-west-1",
    "endpoint_url": "https://other.example", "prefix": "other", "provider": "other", "path": "//other/s",
    "protocol": "smb", "auth_required": True, "options.max_concurrency": 3, "options.sample_size": 3,
    "options.ssl_ca": "other", "options.location": "EU", "options.http_path": "/other",
    "options.auth_mechanism": "LDAP", "options.auth_source": "other",
    "options.account": "other", "options.warehouse": "other", "options.role": "other",
}  # fmt: skip
"""Another value of every field that a config has; a new one needs a thought of whether it says where secrets go."""

SAYS_NO_ADDRESS = {
    "chat settings": {"drafter", "candidates", "window", "unsure_below", "warn_below", "refuse_below"},
    "workflow": {"context_pack_id", "industry_info", "use_validation", "resource_uri"},
}
"""What other configs with a secret say that has nothing to do with where it goes."""


def fields_of(model: type[BaseModel], above: str = "") -> Iterator[str]:
    """The dotted names of a config's fields, those of its sections included."""
    for name, field in model.model_fields.items():
        kinds = [kind for kind in (field.annotation, *get_args(field.annotation)) if isinstance(kind, type)]
        section = next((kind for kind in kinds if issubclass(kind, BaseModel)), None)
        if section is not None and f"{above}{name}" not in HARMLESS:
            yield from fields_of(section, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def with_other(config: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The config with another value of a field."""
    name, _, inner = path.partition(".")
    return {**config, name: {inner: OTHER[path]} if inner else OTHER[path]}


@pytest.mark.parametrize("kind", CONNECTION_TYPES)
def test_each_field_of_a_connection_changes_where_its_credentials_go_or_is_known_not_to(kind: str) -> None:
    connector = connector_class(kind)
    least = LEAST[connector.config_section] | ({"path": "/mnt"} if kind == "nfs" else {})
    if kind == "bigquery":
        least = {"database": "project-1"}
    standing = destination(kind, least)
    for path in fields_of(connector.config_model):
        config = with_other(least, path)
        if kind == "nfs" and path == "path":
            config = {"path": "/other"}
        if kind == "bigquery" and path == "database":
            config = {"database": "project-2"}
        if path in ("database", "selected_tables") and "host" in least:
            config.setdefault("database", "d")
        connector.config_model.model_validate(config)
        assert (destination(kind, config) != standing) is (path not in HARMLESS), path


def test_what_is_harmless_is_a_field_of_some_connection() -> None:
    known = {path for kind in CONNECTION_TYPES for path in fields_of(connector_class(kind).config_model)}
    assert known >= HARMLESS
    assert known == OTHER.keys(), "every field has another value above"


def test_a_field_at_its_default_counts_like_one_that_is_left_out() -> None:
    least = LEAST["database_config"]
    complete = connector_class("postgres").config_model.model_validate(least).model_dump(mode="json")
    assert destination("postgres", complete) == destination("postgres", least)
    assert destination("redshift", least) != destination("postgres", least)


def test_a_config_that_is_none_any_more_has_a_destination_of_its_own() -> None:
    strange = {"host": "h", "database": "d", "gone": "x"}
    assert destination("postgres", strange) != destination("postgres", LEAST["database_config"])
    assert destination("postgres", strange) != destination("postgres", strange | {"gone": "y"})


def test_each_field_beside_the_name_of_a_secret_says_where_it_goes_or_is_known_not_to() -> None:
    assert set(ChatSettingsChange.model_fields) == SAYS_NO_ADDRESS["chat settings"] | set(ADDRESS)
    for name, definition in DEFINITIONS.items():
        known = set(definition.config_schema["properties"])
        assert known <= SAYS_NO_ADDRESS["workflow"] | set(ADDRESS), name
    assert set(ModelVerify.model_fields) - set(ADDRESS) == {"credentials"}, (
        "sent by who names the address, and not kept"
    )
