"""Context packs and memories."""

import json
from typing import Any
from uuid import UUID, uuid4

from schema.utils.context_pack import ContextPackCreate, ContextPackUpdate, PackType
from schema.utils.memory import (
    MemoryCreate,
    MemoryReplacement,
    MemorySupersession,
    MemoryType,
    MemoryUpdate,
    MemoryValidation,
    ValidationStatus,
)
from schema.utils.semantic_model import SemanticExportFormat, SemanticFormat, SemanticModelImport
from tests.contract.cases import lineage
from tests.contract.stage import MARK, Case, Place, Stage, nothing


async def new_pack(stage: Stage, place: Place) -> dict[str, Any]:
    """A pack that is not there yet."""
    return {"pack": ContextPackCreate(name=f"p-{uuid4().hex}", pack_type=PackType.TEAM)}


async def pack(stage: Stage, place: Place) -> dict[str, Any]:
    """A pack that stands."""
    body = {
        "name": f"{MARK} {uuid4().hex}",
        "pack_type": "team",
        "description": f"{MARK} words",
        "meta_data": {"note": MARK},
        "config": {"note": MARK},
    }
    return {"pack_id": (await stage.made(place, "POST", "/utils/context-packs", body))["id"]}


async def changed_pack(stage: Stage, place: Place) -> dict[str, Any]:
    """A pack, and a new description."""
    return await pack(stage, place) | {"changes": ContextPackUpdate.model_validate({"description": "new"})}


async def new_memory(stage: Stage, place: Place) -> dict[str, Any]:
    """A memory that is not there yet."""
    made = MemoryCreate(
        context_pack_id=(await pack(stage, place))["pack_id"],
        name="fresh",
        content={"text": uuid4().hex},
        memory_type=MemoryType.FACT,
    )
    return {"memory": made}


async def memory(stage: Stage, place: Place) -> dict[str, Any]:
    """A memory that stands."""
    body = {
        "context_pack_id": (await pack(stage, place))["pack_id"],
        "name": f"{MARK} name",
        "content": {"type": "text", "text": f"{MARK} {uuid4().hex}"},
        "memory_type": "fact",
        "classification": {"domain": MARK, "tags": [MARK]},
        "source": {"actor": MARK},
        "meta_data": {"note": MARK},
    }
    return {"memory_id": (await stage.made(place, "POST", "/utils/memories", body))["id"]}


async def archived_memory(stage: Stage, place: Place) -> dict[str, Any]:
    """A memory that is archived."""
    made = await memory(stage, place)
    await stage.made(place, "POST", f"/utils/memories/{made['memory_id']}/archive", {})
    return made


async def changed_memory(stage: Stage, place: Place) -> dict[str, Any]:
    """A memory, and a new name."""
    return await memory(stage, place) | {"changes": MemoryUpdate.model_validate({"name": "new"})}


async def superseded_memory(stage: Stage, place: Place) -> dict[str, Any]:
    """A memory, and what takes its place."""
    new = MemoryReplacement(name="new", content={"text": uuid4().hex}, memory_type=MemoryType.FACT)
    return await memory(stage, place) | {"supersession": MemorySupersession(replacement=new)}


async def validated_memory(stage: Stage, place: Place) -> dict[str, Any]:
    """A memory, and what somebody found."""
    found = MemoryValidation(validation_status=ValidationStatus.VALIDATED)
    return await memory(stage, place) | {"validation": found}


async def semantic_model(stage: Stage, place: Place) -> dict[str, Any]:
    """A model with one measure of a table of the catalog."""
    table = await lineage.a_table(stage, place)
    source = ".".join(f'"{part}"' for part in table["fqn"].split(".")[1:])
    metric = {"dialects": [{"dialect": "ANSI_SQL", "expression": "COUNT(DISTINCT t.c)"}]}
    text = json.dumps(
        {
            "datasets": [{"name": "t", "source": source}],
            "metrics": [{"name": "m", "expression": metric, "description": f"{MARK} words"}],
        }
    )
    return {
        "model": SemanticModelImport(
            format=SemanticFormat.OSSIE,
            text=text,
            resource_uri=table["resource_uri"],
            context_pack_id=UUID((await pack(stage, place))["pack_id"]),
        )
    }


async def exported_model(stage: Stage, place: Place) -> dict[str, Any]:
    """A pack, and the connection that its memories are of."""
    made = await memory(stage, place)
    listed = await stage.world.request(
        "GET", f"/utils/memories/{made['memory_id']}", token=stage.owners[place.name],
        headers={"X-Project-ID": place.project},
    )  # fmt: skip
    uri = await stage.connection(place)
    return {
        "pack_id": listed.json()["context_pack_id"], "resource_uri": uri, "format": SemanticExportFormat.OSSIE
    }  # fmt: skip


CASES = [
    Case("import_semantic_model", "project", "can_create_resources", semantic_model),
    Case("export_semantic_model", "project", "can_read", exported_model, "pack_id"),
    Case("create_context_pack", "project", "can_create_resources", new_pack),
    Case("list_context_packs", "project", "can_read", nothing),
    Case("get_context_pack", "project", "can_read", pack, "pack_id"),
    Case("update_context_pack", "project", "can_write", changed_pack, "pack_id"),
    Case("delete_context_pack", "project", "can_delete", pack, "pack_id"),
    Case("create_memory", "project", "can_create_resources", new_memory),
    Case("list_memories", "project", "can_read", nothing),
    Case("get_memory", "project", "can_read", memory, "memory_id"),
    Case("update_memory", "project", "can_write", changed_memory, "memory_id"),
    Case("delete_memory", "project", "can_delete", memory, "memory_id"),
    Case("pin_memory", "project", "can_write", memory, "memory_id"),
    Case("unpin_memory", "project", "can_write", memory, "memory_id"),
    Case("archive_memory", "project", "can_write", memory, "memory_id"),
    Case("reactivate_memory", "project", "can_write", archived_memory, "memory_id"),
    Case("supersede_memory", "project", "can_write", superseded_memory, "memory_id"),
    Case("validate_memory", "project", "can_write", validated_memory, "memory_id"),
]
