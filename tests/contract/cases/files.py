"""Files and artifacts."""

from typing import Any
from uuid import uuid4

from schema.assets.artifact import ArtifactCreate, ArtifactType
from schema.assets.file import FileChange, FileCreate
from tests.contract.stage import CONNECTION_ROLES, MARK, Case, Place, Stage, nothing
from tests.doors import Sent


async def new_file(stage: Stage, place: Place) -> dict[str, Any]:
    """A file to upload."""
    about = FileCreate(key=f"fresh/{uuid4().hex}", name="fresh", resource_uri=f"n-{uuid4().hex}")
    return {"about": about, "file": Sent(b"fresh")}


async def file(stage: Stage, place: Place) -> dict[str, Any]:
    """A file that stands; in the roles' own project the roles of a resource hold theirs on it."""
    form = {
        "key": f"{MARK}/{uuid4().hex}",
        "name": f"{MARK} file",
        "description": f"{MARK} words",
        "tags": f"{MARK}-tag",
        "resource_uri": f"f-{uuid4().hex}",
    }
    answer = await stage.world.request(
        "POST",
        "/assets/files",
        token=stage.owners[place.name],
        data=form,
        files={"file": (f"{MARK}.txt", f"{MARK} bytes".encode(), "text/plain")},
        headers={"X-Project-ID": place.project},
    )
    assert answer.status_code == 201, answer.text
    return {"resource_uri": await _shared(stage, place, "file", answer.json()["resource_uri"])}


async def changed_file(stage: Stage, place: Place) -> dict[str, Any]:
    """A file that stands, and a new description."""
    return await file(stage, place) | {"changes": FileChange.model_validate({"description": "new"})}


async def new_artifact(stage: Stage, place: Place) -> dict[str, Any]:
    """An artifact to keep."""
    made = ArtifactCreate(
        name="fresh", artifact_type=ArtifactType.TEXT, content="fresh", resource_uri=f"n-{uuid4().hex}"
    )
    return {"artifact": made}


async def artifact(stage: Stage, place: Place) -> dict[str, Any]:
    """An artifact that stands."""
    body = {
        "name": f"{MARK} artifact",
        "artifact_type": "text",
        "description": f"{MARK} words",
        "tags": [f"{MARK}-tag"],
        "content": f"{MARK} content",
        "resource_uri": f"a-{uuid4().hex}",
    }
    made = await stage.made(place, "POST", "/assets/artifacts", body)
    return {"resource_uri": await _shared(stage, place, "artifact", made["resource_uri"])}


async def _shared(stage: Stage, place: Place, kind: str, uri: str) -> str:
    if place.name == "own":
        await stage.world.grant_all((f"{role}-of-data_connection", role, kind, uri) for role in CONNECTION_ROLES)
    return uri


CASES = [
    Case("upload_file", "project", "can_create_resources", new_file),
    Case("list_files", "project", "can_read", nothing),
    Case("get_file", "connection", "can_read", file, "resource_uri"),
    Case("download_file", "connection", "can_read", file, "resource_uri"),
    Case("update_file", "connection", "can_write", changed_file, "resource_uri"),
    Case("delete_file", "connection", "can_delete", file, "resource_uri"),
    Case("create_artifact", "project", "can_create_resources", new_artifact),
    Case("list_artifacts", "project", "can_read", nothing),
    Case("get_artifact", "connection", "can_read", artifact, "resource_uri"),
    Case("preview_artifact", "connection", "can_read", artifact, "resource_uri"),
    Case("download_artifact", "connection", "can_read", artifact, "resource_uri"),
    Case("delete_artifact", "connection", "can_delete", artifact, "resource_uri"),
]
