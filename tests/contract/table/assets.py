"""Data connections, files, artifacts and models (contract 2.1, 2.2, 2.10 and 4.2)."""

from tests.contract.table.kinds import (
    Documented,
    Field,
    Fields,
    anything,
    choice,
    constant,
    flag,
    many,
    moment,
    number,
    opt,
    req,
    text,
    whole,
)

NAME = text(1, 255, pattern="^[a-zA-Z0-9][a-zA-Z0-9 _.:-]*$")
LAST_PART = "^[a-z0-9-]+$"
STATUSES = ("PENDING", "ACTIVE", "ERROR", "DISABLED")
TYPES = (
    "postgres",
    "redshift",
    "mysql",
    "bigquery",
    "snowflake",
    "databricks",
    "couchbase",
    "oracle",
    "hive",
    "mongodb",
    "s3",
    "gcs",
    "minio",
    "nfs",
    "smb",
)

KEPT: Fields = {
    "resource_uri": text(),
    "name": text(),
    "organization_id": text(),
    "owner_id": text(),
    "created_at": moment(),
    "updated_at": moment(),
    "created_by": text(),
    "updated_by": text(),
    "description": opt(text()),
    "tags": many(text()),
}
"""What a data connection, a file and an artifact have in common."""

DATA_CONNECTION: Fields = KEPT | {
    "connection_type": choice(*TYPES),
    "status": choice(*STATUSES),
    "status_message": opt(text()),
    "project_id": opt(text()),
    "type": constant("data"),
    "database_config": opt(anything()),  # only the one that belongs to the type is there
    "storage_config": opt(anything()),
    "filesystem_config": opt(anything()),
    "secret_names": many(text()),
}
FILE: Fields = KEPT | {
    "key": text(),
    "project_id": text(),
    "type": constant("file"),
    "content_type": opt(text()),
    "size": opt(whole()),
}
ARTIFACT: Fields = FILE | {"type": constant("artifact"), "artifact_type": text()}

CONFIGS: Fields = {
    "database_config": opt(anything()),
    "storage_config": opt(anything()),
    "filesystem_config": opt(anything()),
    "credentials": opt(anything()),
}
URI: Fields = {"resource_uri": req(text())}

ROWS = [
    Documented(
        "POST",
        "/assets/artifacts",
        "create_artifact",
        201,
        body={
            "name": req(text()),
            "artifact_type": req(text()),
            "description": opt(text()),
            "tags": many(text()),
            "resource_uri": opt(text(pattern=LAST_PART)),
        },
        answer=ARTIFACT,
    ),
    Documented("GET", "/assets/artifacts/{resource_uri}", "get_artifact", params=URI, answer=ARTIFACT),
    Documented(
        "GET",
        "/assets/artifacts/{resource_uri}/preview",
        "preview_artifact",
        params=URI | {"limit": whole(1, 10_000, default=500), "max_bytes": whole(1, 1_048_576, default=524_288)},
        answer={
            "resource_uri": text(),
            "content_type": opt(text()),
            "truncated": flag(),
            "columns": opt(many(text())),
            "rows": opt(many(Field("array"))),
            "size_bytes": opt(whole()),
            "meta": anything(),
            "preview_type": choice("tabular", "text", "json", "image", "binary"),
        },
    ),
    Documented(
        "GET", "/assets/artifacts/{resource_uri}/download", "download_artifact", params=URI, ranges=True, bytes=True
    ),
    Documented(
        "POST",
        "/assets/data",
        "create_data_connection",
        201,
        body={
            "name": req(NAME),
            "connection_type": req(choice(*TYPES)),
            "description": opt(text(longest=1000)),
            "tags": many(text()),
            "resource_uri": opt(text(pattern=LAST_PART)),
            **CONFIGS,
        },
        answer=DATA_CONNECTION,
    ),
    Documented("GET", "/assets/data/{resource_uri}", "get_data_connection", params=URI, answer=DATA_CONNECTION),
    Documented(
        "PUT",
        "/assets/data/{resource_uri}",
        "update_data_connection",
        params=URI,
        body={
            "name": NAME,
            "description": opt(text(longest=1000)),
            "status": choice(*STATUSES),
            "status_message": opt(text(longest=1000)),
            "tags": many(text()),
            **CONFIGS,
        },
        answer=DATA_CONNECTION,
    ),
    Documented(
        "POST",
        "/assets/data/{resource_uri}/verify",
        "verify_data_connection",
        params=URI,
        answer={"success": flag(), "message": text(), "latency_ms": opt(number()), "details": anything()},
    ),
    Documented(
        "GET",
        "/assets/data/{resource_uri}/secret",
        "get_data_connection_secret",
        params=URI,
        answer={"credentials": anything()},
    ),
    Documented(
        "POST",
        "/assets/files",
        "upload_file",
        201,
        body={
            "key": req(text()),
            "name": req(text()),
            "resource_uri": opt(text(pattern=LAST_PART)),
            "description": opt(text()),
            "tags": many(text()),
        },
        form=True,
        answer={
            "resource_uri": text(),
            "url": text(),
            "key": text(),
            "name": text(),
            "message": text(),
            "size": opt(whole()),
            "content_type": opt(text()),
        },
    ),
    Documented("GET", "/assets/files/{resource_uri}", "get_file", params=URI, answer=FILE),
    Documented("GET", "/assets/files/{resource_uri}/download", "download_file", params=URI, ranges=True, bytes=True),
    Documented(
        "POST",
        "/assets/models/verify",
        "verify_model",
        body={
            "llm_model": req(text(1, 500)),
            "credentials": req(anything()),
            "provider": opt(text(longest=100)),
            "api_base": opt(text(longest=1000)),
            "api_version": opt(text(longest=50)),
        },
        answer={"verified": flag(), "message": text(), "latency_ms": opt(number())},
    ),
]
