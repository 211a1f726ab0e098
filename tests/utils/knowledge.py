"""Context packs and memories for tests, made through a door."""

from typing import Any

from resolvers.utils.context_packs import create_context_pack
from resolvers.utils.memories import create_memory, get_memory
from schema.utils.context_pack import ContextPackCreate, ContextPackUpdate
from schema.utils.memory import MemoryCreate, MemoryReplacement, MemoryUpdate
from tests.doors import Door
from tests.world import World


def pack_of(**given: Any) -> ContextPackCreate:
    """A pack as somebody would send it; what is wrong in it is for the server to find."""
    values = {"name": "Sales", "pack_type": "team"} | given
    values = {name: value for name, value in values.items() if value is not ...}
    return ContextPackCreate.model_construct(_fields_set=set(values), **values)


def pack_changes(**given: Any) -> ContextPackUpdate:
    """A change of a pack, as somebody would send it."""
    return ContextPackUpdate.model_construct(_fields_set=set(given), **given)


def memory_of(pack: dict[str, Any] | str, **given: Any) -> MemoryCreate:
    """A memory as somebody would send it."""
    pack_id = pack if isinstance(pack, str) else pack["id"]
    values: dict[str, Any] = {"context_pack_id": pack_id} | said(**given).model_dump(exclude_unset=True)
    return MemoryCreate.model_construct(_fields_set=set(values), **values)


def said(**given: Any) -> MemoryReplacement:
    """Return what a memory says, as somebody would send it."""
    values = {"name": "Fiscal year", "content": {"type": "text", "text": "It starts in April."}, "memory_type": "fact"}
    values = {name: value for name, value in (values | given).items() if value is not ...}
    return MemoryReplacement.model_construct(_fields_set=set(values), **values)


def memory_changes(**given: Any) -> MemoryUpdate:
    """A change of a memory, as somebody would send it."""
    return MemoryUpdate.model_construct(_fields_set=set(given), **given)


async def make_pack(world: World, door: Door, token: str | None = None, **given: Any) -> dict[str, Any]:
    """A pack that stands."""
    made = await door(create_context_pack, token or world.owner, pack=pack_of(**given))
    assert isinstance(made, dict), made
    return made


async def make_memory(
    world: World, door: Door, pack: dict[str, Any] | str, token: str | None = None, **given: Any
) -> dict[str, Any]:
    """A memory that stands."""
    made = await door(create_memory, token or world.owner, memory=memory_of(pack, **given))
    assert isinstance(made, dict), made
    return made


async def read(world: World, door: Door, memory: dict[str, Any]) -> Any:
    """The memory as it is now, without what reading counts."""
    found = await door(get_memory, world.owner, memory_id=memory["id"])
    if isinstance(found, dict):
        del found["access"]
    return found
