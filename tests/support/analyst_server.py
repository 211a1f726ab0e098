"""`stoa serve` whose drafter takes a question for SQL: what the tests kill in the middle of an answer."""

import sys
from collections.abc import Sequence

from resolvers.engines.nl2sql.model import Asked, DraftFailure, Knowledge, Lookup, Outcome, QueryDraft
from rest_compat.app import create_app
from rest_compat.server import Server
from rest_compat.settings import Settings


class Plain:
    """Drafts what it is asked."""

    name = "plain/1"

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The question."""
        return QueryDraft(asked.text, "As it stands.", 0.9, self.name)

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """The same again."""
        return failures[-1].draft


def main() -> None:
    """Serve until a signal."""
    settings = Settings(port=int(sys.argv[sys.argv.index("--port") + 1]))
    Server(create_app(settings, drafter=Plain()), settings, None).run()


if __name__ == "__main__":
    main()
