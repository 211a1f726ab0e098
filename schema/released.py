"""What clients of the last release rely on: its graph is kept, and every change since then is told breaking or not.

`python -m schema.released` keeps the graph as it is now, which is done when a version is released.
"""

import sys
from pathlib import Path
from typing import Final

from graphql import GraphQLSchema, build_schema, find_breaking_changes, parse, print_ast, strip_ignored_characters
from graphql.language import DocumentNode, Node, Visitor, visit

PLACE: Final = Path(__file__).parent / "released.graphql"
"""The graph of the last release, without its descriptions."""


class _Undescribed(Visitor):
    def enter(self, node: Node, *_: object) -> Node | None:
        """Leave a description away."""
        if getattr(node, "description", None) is None:
            return None
        kept = {name: getattr(node, name) for name in node.keys if name != "description"}
        return type(node)(**kept)


def undescribed(sdl: str) -> str:
    """A schema without its descriptions, which no client relies on."""
    document: DocumentNode = visit(parse(sdl), _Undescribed())
    return print_ast(document) + "\n"


def breaking(before: str, now: str) -> list[str]:
    """What has changed between two schemas so that a client of the first may fail, each with its kind."""
    old, new = _built(before), _built(now)
    return [f"{change.type.name}: {change.description}" for change in find_breaking_changes(old, new)]


def _built(sdl: str) -> GraphQLSchema:
    return build_schema(strip_ignored_characters(sdl))


def main() -> None:
    """Keep the graph as it is."""
    current = (Path(__file__).parent / "schema.graphql").read_text()
    PLACE.write_text(undescribed(current))
    sys.stdout.write(f"kept: {PLACE.name}\n")


if __name__ == "__main__":
    main()
