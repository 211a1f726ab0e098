"""Defines how the users and groups of a request are read: who is meant, and whom nobody can give a role."""

from auth.caller import ANONYMOUS_USER, is_reserved
from auth.relations import subject_of

PREFIXES = ("user", "group")


class NotGrantable(ValueError):
    """Nobody can be given a role under this name."""


def named_subject(name: str, *, is_group: bool) -> str:
    """Name the user or group that a grant means.

    Ids come bare. One that begins with `user:` or `group:` may be meant either way, so it is refused; an id that
    really begins so is written with the prefix before it (`user:user:7`). Of the platform's own users only the one
    that stands for everybody without a token can be named. Raises NotGrantable.
    """
    prefix, _, rest = name.partition(":")
    if prefix in PREFIXES:
        if not rest.startswith(f"{prefix}:"):
            raise NotGrantable(
                f"Write the id without a prefix. An id that itself begins with {prefix}: is written {prefix}:{name}."
            )
        name = rest
    if is_reserved(name) and (is_group or name != ANONYMOUS_USER):
        raise NotGrantable(
            f"Names that begin with stoa: are the platform's own. The only one that can be given a role is the user "
            f"{ANONYMOUS_USER}, who stands for everybody without a token."
        )
    return subject_of(name, is_group=is_group)
