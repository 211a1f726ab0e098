"""The plain way that the planner is measured beside: words that are names of tables and columns, and nothing more."""

import re

from resolvers.engines.nl2sql.model import Asked, DraftFailure, Knowledge, Lookup, Outcome, QueryDraft, Unanswerable


def _words(text: str) -> set[str]:
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", text)
    return {word.lower().removesuffix("s") for word in found if len(word) > 1}


class Keywords:
    """Takes the table with most words in common, the columns that are named, and counts when asked how many."""

    name = "keywords/1"

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """A query over one table."""
        said = _words(asked.text)
        rated = [
            (len(said & _words(table.name)) * 2 + sum(1 for of in table.columns if said & _words(of.name)), table)
            for table in known.tables
        ]
        best, table = max(rated, key=lambda one: one[0], default=(0, None))
        if table is None or best == 0:
            return Unanswerable("No table has a name like the words of the question.")
        if re.search(r"\b(how many|number of|count)\b", asked.text.lower()):
            chosen = "count(*)"
        else:
            named = [f'"{of.name}"' for of in table.columns if _words(of.name) & (said - _words(table.name))]
            chosen = ", ".join(named) or "*"
        where = [
            f"\"{of.name}\" = '{value.value}'"
            for profile in [known.profiles.get(table.fqn)]
            if profile is not None
            for of in profile.columns
            for value in of.top_values
            if len(value.value) > 2 and f" {value.value.lower()} " in f" {asked.text.lower().rstrip('?.')} "
        ]
        sql = f'select {chosen} from "{table.name}"' + (f" where {where[0]}" if where and "''" not in where[0] else "")
        return QueryDraft(sql, asked.text, 0.5, self.name)

    async def repair(self, asked: Asked, known: Knowledge, failures: list[DraftFailure], lookup: Lookup) -> Outcome:
        """It knows no other way."""
        return Unanswerable("There is no other way.")
