"""What is told of the last answer of a session: its query, and how the question was understood."""

from collections.abc import Sequence
from typing import Final

import sqlglot
from sqlglot.errors import SqlglotError

from persistence.queries.chat_provenance import EarlierAnswer, LastTurn
from resolvers.engines.english.grammar import listed
from resolvers.talk2data.answering.asides import Topic
from resolvers.talk2data.answering.sanitizing import LONGEST_SQL, plain
from schema.identifiers import Fqn
from schema.talk2data.provenance import AnswerKind, TurnProvenance

LONGEST_QUOTED: Final = 200


def told_of_answer(topic: Topic, earlier: Sequence[EarlierAnswer], before: LastTurn | None) -> str:
    """Return the query of the last answer, or what it says; of a turn without an answer, why it has none."""
    if before is not None and before.kind is not AnswerKind.ANSWER and topic is Topic.EXPLANATION and before.message:
        return f"“{plain(before.asked, LONGEST_QUOTED)}” has no answer. {before.message}"
    if not earlier:
        return "No question of this session has been answered yet, so there is nothing to show. Ask one first."
    last = earlier[-1]
    asked = plain(last.asked, LONGEST_QUOTED)
    if topic is Topic.SQL:
        return f"The query behind “{asked}”:\n\n```sql\n{_written(last.provenance)}\n```"
    return f"“{asked}”: {' '.join(_explained(last.provenance))}"


def _written(found: TurnProvenance) -> str:
    """The query as it ran, in lines."""
    sql = found.sql_run or found.sql_drafted or ""
    try:
        return sqlglot.parse_one(sql, read=found.dialect).sql(found.dialect, pretty=True)
    except (SqlglotError, RecursionError, ValueError):
        return plain(sql, LONGEST_SQL)


def _explained(found: TurnProvenance) -> list[str]:
    said = [f"I understood: {found.reading}"] if found.reading else []
    tables = [Fqn.parse(one.fqn).name for one in found.tables]
    if tables:
        said.append(f"It was read from {listed(tables, 8)}.")
    if found.row_count is not None:
        many = "1 row" if found.row_count == 1 else f"{found.row_count:,} rows"
        said.append(f"The answer has {many}{', and the source has more' if found.truncated else ''}.")
    if found.memories:
        said.append(f"It follows what people noted: {listed([f'“{one.name}”' for one in found.memories])}.")
    if found.policies:
        said.append(f"Policies were applied: {listed([f'“{one.name}”' for one in found.policies])}.")
    said += found.warnings
    return [*said, "“Show me the SQL” shows the query."]
