"""The question that authorization answers, and the protocol that every engine answers it through.

A *tuple* states that a user holds a relation on an object: `user:ann` is `viewer` of `project:shop`. A user is written
`type:id`, a whole group of users `type:id#relation`, everybody of a type `type:*`. Every call names a *store* first:
the platform keeps one store per organization, so the tuples of two tenants can never meet.

Names are made with `object_name`, `user_subject` and `group_subject`; they escape what would otherwise change the
meaning of a name (a token whose `sub` is `*` is a user called `*`, not everybody).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import unquote

from auth.seen import Seen
from schema.errors import AlreadyExists, Forbidden, NotFound


@dataclass(frozen=True, slots=True)
class RelationTuple:
    """`user` holds `relation` on `object`, under `condition` when one is named.

    `context` is what the condition was given when the tuple was written; it must be JSON. Two tuples that differ in
    condition or context only are the same tuple: an object cannot hold both.
    """

    user: str
    relation: str
    object: str
    condition: str | None = None
    context: Mapping[str, Any] | None = field(default=None, hash=False, compare=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what makes it one tuple: object, relation and user."""
        return (self.object, self.relation, self.user)

    def __str__(self) -> str:
        """The customary spelling, `object#relation@user`."""
        return f"{self.object}#{self.relation}@{self.user}"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Does `user` hold `relation` (or the permission of that name) on `object`?"""

    user: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a proof: a stored tuple, or a rule of the model that carried the answer on."""

    object: str
    relation: str
    rule: str
    """The part of the model that held, in its own language, such as `can_read from project`."""
    tuple: RelationTuple | None = None
    """The stored tuple that made the rule hold; None when the rule needs none."""

    def __str__(self) -> str:
        """One line for a person."""
        reason = f"because {self.tuple.user} is its {self.tuple.relation}" if self.tuple else f"through {self.rule}"
        return f"{self.relation} on {self.object} {reason}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Holds why the answer is what it is.

    `chain` holds the ordered steps behind a yes, from the question down to the grant. `grants` holds what would turn
    a no into a yes, the narrowest first; each item is the set of tuples that must be written together (one tuple
    unless the model has an `and`).
    """

    allowed: bool
    model_version: str
    subject: str | None = None
    """Which of the asked subjects holds it; None for a no."""
    chain: tuple[Link, ...] = ()
    grants: tuple[tuple[RelationTuple, ...], ...] = ()


class AlreadyStands(AlreadyExists):
    """A tuple that was to be written is there already."""


class DoesNotStand(NotFound):
    """A tuple that was to be deleted is not there."""


class NotInModel(ValueError):
    """The model does not know the type or relation, or does not accept that kind of user there."""


class Undecided(Forbidden):
    """The question could not be decided (too deep, or a condition lacks what it needs), so the answer is no."""


class Relations(Protocol):
    """An authorization engine. Every failure is an exception or a no, never a yes.

    Engines that work over the network raise `schema.errors.UpstreamUnavailable` when the engine cannot be reached.
    Names of unknown types and relations raise NotInModel. A question that is too deep or whose condition lacks
    context raises Undecided from `check`, and counts as no in `batch_check` and `allowed`.
    """

    async def check(
        self,
        store: str,
        question: CheckRequest,
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> bool:
        """Answer one question; `contextual` tuples hold for this question only, `context` feeds conditions."""
        ...

    async def batch_check(
        self,
        store: str,
        questions: Sequence[CheckRequest],
        *,
        contextual: Sequence[RelationTuple] = (),
        context: Mapping[str, Any] | None = None,
    ) -> list[bool]:
        """Answer many questions, in order."""
        ...

    async def allowed(
        self, store: str, subjects: Sequence[str], relation: str, object: str, *, seen: Seen | None = None
    ) -> bool:
        """Say whether any subject holds it: a user and all of their groups in one round trip.

        `seen` is shared by questions that are asked of one moment.
        """
        ...

    async def near(self, store: str, subjects: Sequence[str], object_type: str) -> set[str] | None:
        """Name the objects of a type that may be worth a question for one of the subjects.

        More than they have access to, never less; None where that cannot be told.
        """
        ...

    async def held(
        self, store: str, subjects: Sequence[str], relation: str, object_type: str, *, seen: Seen | None = None
    ) -> Sequence[str] | None:
        """Name every object of a type on which one of the subjects holds the relation, sorted.

        None where nobody can tell without leaving some out: then each object has to be asked about. `seen` is as in
        `allowed`.
        """
        ...

    async def list_objects(self, store: str, user: str, relation: str, object_type: str) -> list[str]:
        """Name every object of the type on which the user holds the relation, sorted."""
        ...

    async def list_users(self, store: str, object: str, relation: str, user_filter: str) -> list[str]:
        """Name every user who holds the relation, sorted; `user_filter` is a type or `type#relation`."""
        ...

    async def read(
        self,
        store: str,
        *,
        object: str | None = None,
        relation: str | None = None,
        user: str | None = None,
        limit: int = 100,
        after: RelationTuple | None = None,
    ) -> list[RelationTuple]:
        """List stored tuples in a stable order, those after `after` (the last one of the page before)."""
        ...

    async def standing(self, store: str, objects: Sequence[str]) -> list[RelationTuple]:
        """Return every tuple that stands on any of the objects, in a stable order, links to parents included."""
        ...

    async def write(
        self,
        store: str,
        writes: Sequence[RelationTuple] = (),
        deletes: Sequence[RelationTuple] = (),
        *,
        lenient: bool = False,
    ) -> None:
        """Write and delete as one unit, all or nothing.

        Raises NotInModel for what the model refuses, AlreadyStands for a write that stands already and DoesNotStand
        for a delete that does not; `lenient` takes both of these as done, for a repeat that must be harmless.
        """
        ...

    async def delete_object(self, store: str, object: str) -> int:
        """Delete every tuple on the object and every tuple that names it as user or parent; says how many."""
        ...

    async def explain(self, store: str, subjects: Sequence[str], relation: str, object: str) -> Explanation:
        """Give the proof of a yes, or the smallest grants that would turn a no."""
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


def object_name(type_: str, id_: str) -> str:
    """Name an object, `type:id`, with every character escaped that has a meaning in names."""
    return f"{type_}:{_escaped(id_)}"


def user_subject(sub: str) -> str:
    """Name a user by the `sub` of their token."""
    return object_name("user", sub)


def group_subject(name: str) -> str:
    """Name the members of an identity provider's group."""
    return f"{object_name('group', name)}#member"


def subject_of(user_or_group: str, *, is_group: bool) -> str:
    """Name a user or a group from the bare identifier that requests carry."""
    return group_subject(user_or_group) if is_group else user_subject(user_or_group)


def bare_id(name: str) -> str:
    """Give back the identifier inside a name: of `group:data%23eng#member`, `data#eng`."""
    return unquote(split_user(name)[1])


def object_id(name: str) -> str:
    """Give back the identifier inside an object's name."""
    return unquote(name.partition(":")[2])


def split_object(name: str) -> tuple[str, str]:
    """Split `type:id`. Raises NotInModel when it is not one."""
    type_, colon, id_ = name.partition(":")
    if not (type_ and colon and id_) or "#" in name or id_ == "*" or any(map(str.isspace, name)):
        raise NotInModel(f"{name!r} is not an object; write it as type:id.")
    return type_, id_


def split_user(name: str) -> tuple[str, str, str]:
    """Split `type:id`, `type:*` or `type:id#relation` into type, id and relation ('' when there is none)."""
    whole, _, relation = name.partition("#")
    type_, colon, id_ = whole.partition(":")
    usable = type_ and colon and id_ and "#" not in relation and not any(map(str.isspace, name))
    if not usable or ("#" in name and (not relation or id_ == "*")):
        raise NotInModel(f"{name!r} is not a user; write it as type:id, type:* or type:id#relation.")
    return type_, id_, relation


def join_user(type_: str, id_: str, relation: str) -> str:
    """Put the parts of a user together again."""
    return f"{type_}:{id_}#{relation}" if relation else f"{type_}:{id_}"


def already_stands(standing: Iterable[RelationTuple]) -> AlreadyStands:
    """Build the refusal of a write whose tuples stand already."""
    name = next((str(item) for item in standing), "A tuple")
    return AlreadyStands(f"{name} stands already; nothing was written.", tuple=name)


def does_not_stand(missing: Iterable[RelationTuple]) -> DoesNotStand:
    """Build the refusal of a delete whose tuples do not stand."""
    return DoesNotStand("relation", next((str(item) for item in missing), "one of several"))


_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:@/|+-]+")
"""What nearly every identifier is made of, none of it to be escaped."""


def _escaped(id_: str) -> str:
    if _PLAIN.fullmatch(id_) is not None:
        return id_
    if id_ == "*":
        return "%2A"
    return "".join(
        "".join(f"%{byte:02X}" for byte in character.encode())
        if character in "%#" or character.isspace() or not character.isprintable()
        else character
        for character in id_
    )
