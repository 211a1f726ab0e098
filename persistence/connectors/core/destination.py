"""Defines where and how a connection's credentials are sent: all that its config says but what is known to change
neither.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

import orjson
from pydantic import ValidationError

from persistence.connectors import connector_class

HARMLESS: Final = frozenset(
    {
        "db_schema",  # what is read, once the credentials have been taken
        "selected_tables",
        "prefix",
        "provider",  # informative; the connection type decides
        "options.max_concurrency",
        "options.sample_size",
    }
)
"""The fields of configs, as dotted paths, that say nothing of where or how to connect.

A field that is not named here counts: one that is new is safe before anybody has thought about it.
"""

NOWHERE: Final = sha256(b"nowhere").hexdigest()
"""The destination of what has no address: what is bound to it is never sent."""


def destination(connection_type: str, config: Mapping[str, Any]) -> str:
    """A digest of where and how a connection of a type with this config sends its credentials.

    A field at its default counts like one that is left out, so that an option which a later version adds changes
    nothing for the configs of before.
    """
    try:
        checked = connector_class(connection_type).config_model.model_validate(dict(config))
        said = checked.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    except ValidationError:  # of another version; it cannot be connected with
        said = dict(config)
    counted = sorted((path, value) for path, value in _leaves(said) if path not in HARMLESS)
    return sha256(orjson.dumps([connection_type, counted], option=orjson.OPT_SORT_KEYS)).hexdigest()


def _leaves(section: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in section.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping) and path not in HARMLESS:
            yield from _leaves(value, f"{path}.")
        else:
            yield path, value
