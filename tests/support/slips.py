"""Configs and credentials of connections as people and attackers mistype them, from a seed."""

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from persistence.connectors import CONNECTION_TYPES, connector_class

BASES: dict[str, dict[str, Any]] = {
    "bigquery": {"database": "my-project"},
    "s3": {"bucket": "bucket"},
    "gcs": {"bucket": "bucket"},
    "minio": {"bucket": "bucket", "endpoint_url": "https://minio.example.com:9000"},
    "nfs": {"path": "/mnt/data"},
    "smb": {"path": "//server/share/folder"},
}
CREDENTIALS: dict[str, dict[str, Any]] = {
    "bigquery": {"service_account": '{"type": "service_account"}'},
    "databricks": {"token": "t"},
    "s3": {},
    "gcs": {},
    "minio": {"access_key_id": "a", "secret_access_key": "b"},
    "nfs": {},
}
PASSWORD = {"username": "reader", "password": "a secret"}
DATABASE = {"host": "db.example.com", "port": 5432, "database": "shop", "ssl_mode": "require"}
TREES = [{"database_name": "shop", "schemas": [{"schema_name": "public", "tables": ["orders"], "views": []}]}]
TEXTS = (
    "", " ", "\t\n", "x", "a b", "A", "s3://my-bucket/folder", "gs://b", "My-Project", "eu west 1", "-", ".", "..", "/",
    "//", "\\\\server\\share", "smb://user:pw@server/share", "//[::1/share", "//[]/s", "//s:0/share", "//s:99999/s",
    "https://adb-1.2.azuredatabricks.net/sql/1.0?x=1", "/sql/1.0/warehouses/a b", "http://", "https://[", "http://[...]",
    "http://[:::]:9", "http://[1]", "https://h:0", "https://h:65536", "https://u:p@h", "https://h/path?q#f", "[::1]",
    "[", "]", "[]", "[[::1]]", "::", ":", "::ffff:1.2.3.4", "fe80::1%eth0", "localhost:5432", "db.example.com.",
    "a" * 256, "a" * 300 + ".b", "xn--", "ü.example", "db\u202e.example", "db\u200b", "\ufeffdb", "1" * 500, "0x7f.1",
    "127.1", "2130706433", "$(id)", "'; drop table x; --", "`id`", "%00", "%2e%2e%2f", "../../etc/passwd",
    "/mnt/../etc", "C:\\data", "NULL", "null", "true", "yes", "5432", "5432.0", "-1", "NaN", "disable", "Require",
    "VERIFY-FULL",
    "verify-ca", "basic", "BASIC", "service_account", "key_pair", "token", "-----BEGIN CERTIFICATE-----", "{", "{}",
    "[]", '{"type": "service_account"}', "\U0001f4a5", "e\u0301", "\u0130", "a\rb", "a\u2028b", "a\x7fb", "a\x01b",
    "nfs", "local", "ftp", "PLAIN", "plain", "*", "?", "us-east-1", "us-east-1\n", "cn-north-1", "bucket.", "b_k",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 5432, 65535, 65536, 2**31, 2**63, 2**70, -(2**63), 0.0, 5432.0, 1.5, -0.5, 1e308,
    1e-320,    [], {}, [[]], [None], [""], ["a"], {"a": 1}, {"": ""}, [{"database_name": "a"}], {"database_name": "a"},
)  # fmt: skip


def slips(seed: int, number: int) -> Iterator[tuple[str, str, Any, Any]]:
    """So many (type, section, config, credentials), each a good one with some of its parts mistyped."""
    chance = random.Random(seed)
    for at in range(number):
        kind = CONNECTION_TYPES[at % len(CONNECTION_TYPES)]
        found = connector_class(kind)
        config = deepcopy(BASES.get(kind, DATABASE))
        if found.config_section == "database_config" and chance.random() < 0.3:
            config["selected_tables"] = deepcopy(TREES)
        credentials: Any = dict(CREDENTIALS.get(kind, PASSWORD))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            _mistype(chance, config, found.config_model)
        for _ in range(chance.choice((0, 0, 1, 2))):
            _mistype(chance, credentials, found.credentials_model)
        if chance.random() < 0.02:
            config = _value(chance)
        if chance.random() < 0.1:
            credentials = _value(chance)
        yield kind, found.config_section, config, credentials


def _mistype(chance: random.Random, given: dict[str, Any], model: type[BaseModel]) -> None:
    """Change one part: a field of the model, of what lies in it, or one that it does not have."""
    if chance.random() < 0.02 or not model.model_fields:
        given[chance.choice((*TEXTS, "Host", "user", "Port", "ssl_mod", "typed_config"))] = _value(chance)
        return
    name = chance.choice(tuple(model.model_fields))
    inner = model.model_fields[name].annotation
    if isinstance(inner, type) and issubclass(inner, BaseModel) and chance.random() < 0.8:
        below = given.setdefault(name, {})
        if isinstance(below, dict):
            _mistype(chance, below, inner)
        return
    if name in given and isinstance(given[name], list) and given[name] and chance.random() < 0.8:
        _scramble(chance, given[name])
    elif chance.random() < 0.1:
        given.pop(name, None)
    elif inner is not bool and "int" not in str(inner) and "list" not in str(inner) and chance.random() < 0.7:
        given[name] = chance.choice(TEXTS)
    else:
        given[name] = _value(chance)


def _scramble(chance: random.Random, node: Any) -> None:
    """Change one place of a tree, however deep."""
    while True:
        key = chance.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if not (isinstance(node[key], dict | list) and node[key]) or chance.random() < 0.2:
            node[key] = _value(chance)
            return
        node = node[key]


def _value(chance: random.Random) -> Any:
    drawn = chance.random()
    if drawn < 0.5:
        return chance.choice(TEXTS)
    if drawn < 0.8:
        return deepcopy(chance.choice(OTHERS))
    if drawn < 0.9:
        return chance.choice(TEXTS) + chance.choice(TEXTS)
    return "".join(chr(chance.choice((chance.randrange(1, 128), chance.randrange(0x110000)))) for _ in range(6))
