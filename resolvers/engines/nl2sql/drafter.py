"""The drafter that needs no model: it follows up or links, plans and chooses, and says so when it is not sure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from resolvers.engines.english.grammar import listed
from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.followup.followups import cannot_stand, followed, leans, may_stand
from resolvers.engines.nl2sql.joining.joins import Ambiguous, Unjoinable, joins_of
from resolvers.engines.nl2sql.language.busy_times import busy_time
from resolvers.engines.nl2sql.language.differences import halves, in_percent
from resolvers.engines.nl2sql.language.measures import in_one_unit
from resolvers.engines.nl2sql.language.said_again import plainly
from resolvers.engines.nl2sql.language.scope import widely
from resolvers.engines.nl2sql.language.spoken_spans import since_when, spoken_spans
from resolvers.engines.nl2sql.language.taking import as_duration
from resolvers.engines.nl2sql.language.trends import compared, over_time, side_by_side
from resolvers.engines.nl2sql.language.words import AGGREGATES, STOP_WORDS, UNITS
from resolvers.engines.nl2sql.mention import Correction, Linked
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    ColumnKey,
    DraftFailure,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.nl2sql.paraphrase import called, said, without_id
from resolvers.engines.nl2sql.plan import Column, Plan, Related
from resolvers.engines.nl2sql.planner.apart import as_one_number, is_turned, minus
from resolvers.engines.nl2sql.planner.assumed import said_so, with_revenue
from resolvers.engines.nl2sql.planner.catalog import catalog_of
from resolvers.engines.nl2sql.planner.choosing import ENOUGH, Candidate, Failed, candidates
from resolvers.engines.nl2sql.planner.exemplars import Example, example_for
from resolvers.engines.nl2sql.planner.left_out import LEFT_OUT, may_be_left_out
from resolvers.engines.nl2sql.planner.present import going_on
from resolvers.engines.nl2sql.planner.undone import is_told, missing_time, written_apart
from resolvers.engines.nl2sql.schema_linking.called_otherwise import rows_called_otherwise
from resolvers.engines.nl2sql.schema_linking.codes import AS_CODES, as_codes
from resolvers.engines.nl2sql.schema_linking.kinds_as_rows import with_rows
from resolvers.engines.nl2sql.schema_linking.lengths import with_length
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.misspelled import corrected
from resolvers.engines.nl2sql.schema_linking.numbered import numbered_columns
from resolvers.engines.nl2sql.schema_linking.shared_heads import written_out
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from resolvers.engines.nl2sql.sql_writing.comparing import Unwritable
from resolvers.engines.nl2sql.sql_writing.query import Writer, written
from resolvers.engines.nl2sql.sql_writing.uses import parts_of
from schema.utils.memory import MemoryType

NAME: Final = "planner/1"
SURE: Final = 0.7
"""How sure a draft must be to be built on without asking."""
FOLLOWED: Final = 0.85
"""How sure a question is that builds on the one before, where that was as sure."""
FOLLOWED_MAYBE: Final = 0.65
"""How sure it is where the question may as well be meant by itself."""
MOST_READINGS: Final = 4


class Planner:
    """Drafts by understanding the question with the catalog; the same question always leads to the same draft."""

    name = NAME

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The best way to answer."""
        return self._draft(asked, known, lookup, ())

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """The next best way, after those that failed. What a policy refuses is not asked for in another way."""
        if (failures[-1].rule or "").startswith("policy_"):
            return Unanswerable(failures[-1].message)
        return self._draft(asked, known, lookup, [failure.draft.sql for failure in failures])

    def _draft(self, asked: Asked, known: Knowledge, lookup: Lookup, failed: Sequence[str]) -> Outcome:
        asked = replace(asked, text=_over_time(asked.text))
        linked = _linked(asked.text, asked, known, lookup)
        example = example_for(linked, known)
        if example is not None and example.sql not in failed:
            return by_example(example)
        apart = _difference(asked, known, lookup)
        if apart is not None and apart.sql not in failed:
            return apart
        following = self._follow(asked, known, lookup) if asked.earlier else None
        if following is not None and following.sql not in failed:
            return following
        if cannot_stand(asked, known):
            return Unanswerable(_BUILDS_ON)
        if (still := going_on(linked, catalog_of(known))) is not None:
            linked = _linked(still, asked, known, lookup)
        outcome = _busiest(asked, known, lookup, failed) or _planned(linked, asked, known, failed)
        if not isinstance(outcome, QueryDraft) or outcome.confidence <= AS_CODES:
            coded = as_codes(linked, Vocabulary.of(known), _SMALL)
            if coded is not None and isinstance(other := _planned(coded, asked, known, failed), QueryDraft):
                return replace(other, confidence=min(AS_CODES, other.confidence))
        if isinstance(outcome, QueryDraft):
            return outcome
        if (assumed := with_revenue(known, linked)) is not None:
            other = _planned(_linked(asked.text, asked, assumed, lookup), asked, assumed, failed)
            found: Outcome | None = said_so(other, assumed) if isinstance(other, QueryDraft) else None
        else:
            found = _called_otherwise(linked, asked, known, lookup)
        return found or (outcome.without if isinstance(outcome, Unanswerable) else None) or outcome

    def _follow(self, asked: Asked, known: Knowledge, lookup: Lookup) -> QueryDraft | None:
        """The answer to a question that builds on the one before it; None when it stands alone."""

        def parse(text: str) -> Plan | None:
            found, _ = candidates(_linked(text, asked, known, lookup), known)
            best = found[0] if found else None
            return best.plan if best is not None and best.confidence >= ENOUGH and not best.unknown else None

        if not leans(asked, known):
            return None
        plan = followed(asked, known, parse, lookup)
        if plan is None:
            return None
        try:
            query = written(plan, known, joins_of(known))
        except (Unwritable, Unjoinable):
            return None
        before = asked.earlier[-1].confidence
        sure = min(FOLLOWED_MAYBE if may_stand(asked, known) else FOLLOWED, 1.0 if before is None else before)
        memories = _memories(plan, known, asked.earlier[-1].memories)
        reading = said(plan, known, asked.text)
        return QueryDraft(query.sql(known.dialect), reading, sure, NAME, plan, memories, {"follows": True})


def _planned(linked: Linked, asked: Asked, known: Knowledge, failed: Sequence[str]) -> Outcome:
    """The best plan for the words of a question, as a query."""
    found, troubles = candidates(linked, known, every=bool(failed))
    found = [one for one in found if one.sql not in failed]
    if not found:
        return _nothing(linked, known, troubles, builds_on=leans(asked, known))
    return _outcome(found, known)


ADDED_UP: Final = 0.75
"""How sure an answer is at most in which numbers are added up, or their average is taken, without that being said."""


def _difference(asked: Asked, known: Knowledge, lookup: Lookup) -> QueryDraft | None:
    """The answer to a question for how far two figures lie apart; None for any other, or where one is not clear."""
    found: list[QueryDraft] = []
    catalog = catalog_of(known)
    for texts in halves(asked.text):
        drafts = [_planned(_linked(text, asked, known, lookup), asked, known, ()) for text in texts]
        sure = [one for one in drafts if isinstance(one, QueryDraft)]
        added = texts[0].startswith("How much ")
        plans = [one.plan and as_one_number(one.plan, catalog, added=added) for one in sure]
        numbers = [one for one in plans if one is not None]
        if len(numbers) != 2 or numbers[0] == numbers[1]:
            continue
        turned = is_turned(numbers[0], texts[0], catalog)
        first, less = (numbers[1], numbers[0]) if turned else (numbers[0], numbers[1])
        whole = in_percent(asked.text)
        plan = minus(first, less, None if whole is None else numbers[whole])
        try:
            query = written(plan, known, joins_of(known))
        except (Unwritable, Unjoinable):
            continue
        memories = tuple(dict.fromkeys(one for draft in sure for one in draft.memories))
        confidence = min(ADDED_UP if one.plan != taken else 1.0 for one, taken in zip(sure, plans, strict=True))
        confidence = min(confidence, *(one.confidence for one in sure))
        evidence = {"doubts": [why for one in sure for why in (one.evidence or {}).get("doubts", ())]}
        reading = said(plan, known, asked.text)
        found.append(QueryDraft(query.sql(known.dialect), reading, confidence, NAME, plan, memories, evidence))
    return max(found, key=lambda one: one.confidence, default=None)


def _busiest(asked: Asked, known: Knowledge, lookup: Lookup, failed: Sequence[str]) -> Outcome | None:
    """The time at which most happened, where a question leaves it to the data what that is; None for any other.

    What happened are the rows of a table that tells when; where there are several such tables, it is asked which.
    """
    time = busy_time(asked.text)
    if time is None or time.what is not None:
        return None
    vocabulary, catalog = Vocabulary.of(known), catalog_of(known)
    tables = [one for one in known.tables if any(map(catalog.is_moment_like, catalog.of(one.fqn)))]
    tables = [one for one in tables if not vocabulary.is_person(one.fqn)] or tables
    found: list[Candidate] = []
    for table in sorted(tables, key=lambda one: -(one.row_count or 0))[:MOST_READINGS]:
        name = " ".join(tokens_of(table.name))
        linked = _linked(time.counting(name), asked, known, lookup)
        linked = replace(linked, corrections=(Correction(time.word, f"{time.degree} {name}"),))
        best = next(iter(candidates(linked, known)[0]), None)
        if best is not None and not best.unknown and not best.forbidden and best.sql not in failed:
            found.append(best)
    if not found:
        return None
    if len(tables) == 1 and isinstance(only := _outcome(found, known), QueryDraft):
        return replace(only, confidence=min(ONLY_TABLE, only.confidence))
    readings = _readings(found, known)
    which = "Is this what is meant?" if len(readings) == 1 else "Which of these is meant?"
    return Clarification(f"It is not said what makes a time the {time.word}. {which}", readings, _evidence(found[0]))


def _called_otherwise(linked: Linked, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome | None:
    """Asks which rows are meant where a question calls them by a word of its own; None for any other question.

    Where there is but one table, they are its rows, and the answer says so.
    """
    found: list[Candidate] = []
    word = ""
    for text, word, name in rows_called_otherwise(linked, Vocabulary.of(known)):
        other = _linked(text, asked, known, lookup)
        corrections = (*linked.corrections, *other.corrections, Correction(word, name))
        best = next(iter(candidates(replace(other, corrections=corrections), known)[0]), None)
        if best is not None and not best.unknown and not best.forbidden and best.confidence >= _READ_OTHERWISE:
            found.append(best)
    found = sorted((one for one in found if one.chooses), key=lambda one: -one.confidence)
    found = [one for one in found if one.tells_all] or found
    if not found:
        return None
    only = _outcome(found, known) if len(known.tables) == 1 else None
    if isinstance(only, QueryDraft) and only.confidence >= SURE:
        return replace(only, confidence=min(ONLY_TABLE, only.confidence))
    message = f"Nothing in the data is called “{word}”. Is this what is meant?"
    return Clarification(message, _readings(found[:MOST_READINGS], known), _evidence(found[0]))


ONLY_TABLE: Final = 0.75
"""How sure an answer is at most whose rows are called by a word of the question's own, and are those of all data."""
_READ_OTHERWISE: Final = 0.3
"""How sure a reading must be in which a word stands for rows that nothing calls so."""


def understood(asked: Asked, known: Knowledge, lookup: Lookup) -> Linked:
    """The words of a question that stands alone, with all that they may stand for."""
    return _linked(_over_time(asked.text), asked, known, lookup)


def _over_time(text: str) -> str:
    time = busy_time(text)
    if time is not None and time.what is not None:
        return time.counting(time.what)
    return over_time(side_by_side(compared(text)))


def _linked(text: str, asked: Asked, known: Knowledge, lookup: Lookup) -> Linked:
    """The words of a question with all that they may stand for."""
    vocabulary = Vocabulary.of(known)
    text = since_when(text, asked.now.date())
    if not vocabulary.is_word("week"):
        text = _WEEKDAY.sub(r"weekday\1", text)
    text = plainly(
        plain_text(as_duration(widely(text, is_held=vocabulary.is_value, is_word=vocabulary.is_word))),
        has_descriptions=vocabulary.is_word("description"),
        has_pieces=vocabulary.is_word("piece") or vocabulary.is_word("item"),
        has_totals=vocabulary.is_word("total"),
        is_held=vocabulary.is_value,
    )
    text = numbered_columns(text, vocabulary)
    linked = link(written_out(text, vocabulary), vocabulary, asked.now, lookup)
    spelled, corrections = corrected(linked, vocabulary)
    if corrections:
        again = written_out(plain_text(spelled), vocabulary)
        linked = replace(link(again, vocabulary, asked.now, lookup), corrections=corrections)
    if (rows := with_rows(linked, vocabulary)) is not None:
        linked = replace(link(rows, vocabulary, asked.now, lookup), corrections=corrections)
    if (length := with_length(linked, vocabulary)) is not None:
        again, days = length
        return replace(link(again, vocabulary, asked.now, lookup), corrections=corrections, length=days)
    apart = written_apart(linked)
    turned = link(apart, vocabulary, asked.now, lookup) if apart is not None else None
    if turned is not None and is_told(turned) and (missing := missing_time(turned, vocabulary)):
        turned = link(written_apart(linked, missing) or turned.text, vocabulary, asked.now, lookup)
        return replace(turned, corrections=corrections)
    return replace(turned, corrections=corrections) if turned is not None and is_told(turned) else linked


def plain_text(text: str) -> str:
    """The question with what is said short written out."""
    text = _NUMBERED.sub("number", _NOT.sub(r"\1n't", text))
    text = _INSIDE.sub(r'whose \2 contains "\1"', text)
    text = spoken_spans(_AS_A.sub(r"is \1", _AGED.sub("with age", _PLEASE.sub(r"\1", in_one_unit(text)))))
    text = _CAME_OUT.sub("was released", _ONCE.sub("exactly once", text))
    text = _SCALED.sub(r"\1 \2 \5\3\4 \5", text)
    return _IDS.sub("id", _NUMBERS_EACH.sub("number of", text))


_NOT: Final = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|ca|could|would|should)nt\b", re.IGNORECASE)
"""What is denied without an apostrophe."""
_INSIDE: Final = re.compile(
    r"\b(?:has|have|had|having|with|contain|contains|containing|including|include)(?: the words?)?"
    r" [\"'“]?([^\W\d_][\w-]{2,})[\"'”]? in (?:its|the|their|his|her) (names?|titles?)\b",
    re.IGNORECASE,
)
"""A word that something has in its name."""
_AGED: Final = re.compile(r"\baged(?= (?:\d|(?:over|under|above|below|between|at|more|less|either|exactly)\b))")
_AS_A: Final = re.compile(r"\b(?:works?|serves?|acts?|functions?|(?:is|are) working) as (an?)\b", re.IGNORECASE)
"""What somebody is by trade. Who worked as one in the past may be another by now."""
_PLEASE: Final = re.compile(r",? (?:please|pls|plz)\s*([.?!]|$)", re.IGNORECASE)
_NUMBERED: Final = re.compile(
    r"(?<!\bwith )(?<!\bhave )(?<!\bhas )(?<!\bhad )(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )"
    r"(?<=[a-z] )no\b\.?(?= ?[\"']?(?:[A-Z]+[-/]?)?\d[\w/-]*[\"']?(?:[\s.,;?!)]|$)(?! [a-z]))"
)
"""`no` before what numbers a thing, where nothing follows that there might be none of."""
_NUMBERS_EACH: Final = re.compile(r"\bnumbers of(?= [\w ]{1,40}\b(?:each|every|per)\b)", re.IGNORECASE)
"""Of each there is one number of things; elsewhere `the numbers of the parcels` may be what is written on them."""
_WEEKDAY: Final = re.compile(r"\bday(s?) of the week\b", re.IGNORECASE)
_ONCE: Final = re.compile(r"(?<=\wed )only once\b|\bjust once\b", re.IGNORECASE)
"""What was done only once was not done again; each name only once is no doubles."""
_CAME_OUT: Final = re.compile(r"\b(?:came|come|comes) out\b(?! (?:of|to|as|on top|ahead|first|last)\b)", re.IGNORECASE)
"""What films, songs, books and the like do when they are released."""
_SCALED: Final = re.compile(
    r"\b(between|from) (\d[\d.,]*)( (?:and|to) )(\d[\d.,]*) (hundred|thousand|million|billion)\b", re.IGNORECASE
)
"""A scale that is said once for both ends of a span."""
_IDS: Final = re.compile(r"\b(?:ids|IDs|Ids)\b")


def by_example(example: Example) -> QueryDraft:
    """The draft that an example is. One that a steward has validated is told as a verified query."""
    alike = "the same question" if example.is_same else "a question like this one"
    if example.is_validated:
        reading = f"Answered by the verified query for {alike}: “{example.question}”."
    else:
        reading = f"Answered as people answered {alike}: “{example.question}”. Nobody has checked that answer yet."
    return QueryDraft(
        example.sql,
        reading,
        example.confidence,
        NAME,
        memories=(example.memory,),
        evidence={"example": example.question},
    )


_BUILDS_ON: Final = "This builds on the question before it in a way that is not clear. Ask it as one whole question."


def _nothing(linked: Linked, known: Knowledge, troubles: Sequence[Failed], *, builds_on: bool) -> Outcome:
    """No plan could be made, or none could be written."""
    words = _unlinked(linked)
    if words and all(trouble.plan is None for trouble in troubles):
        return _missing(words, {})
    for trouble in troubles:
        if isinstance(trouble.error, Ambiguous):
            return Clarification(trouble.reason, ())
        if trouble.error is not None:
            return Unanswerable(trouble.reason)
    if builds_on:
        return Unanswerable(_BUILDS_ON)
    return Unanswerable(
        "The question names no table and no column of the data. Say what to show, and of what, in words of the catalog."
    )


def _unlinked(linked: Linked) -> tuple[str, ...]:
    """The longer words that nothing in the catalog stands for."""
    covered = {at for one in linked.mentions for at in range(one.first, one.last)}
    return tuple(
        token.text
        for at, token in enumerate(linked.tokens)
        if at not in covered and len(token.text) > 3 and token.text.isalpha() and token.lemma not in _SMALL
    )


_PLAIN: Final = word_set(
    "what which when where whose who many much show list give find return tell have does with that this there than "
    "from each every number count average total maximum minimum most least more less about between into over under "
    "please display name these those their them they were been also both either only remunerated"
)


_SMALL: Final = _PLAIN | STOP_WORDS | frozenset(UNITS) | frozenset(one[0] for one in AGGREGATES if len(one) == 1)
"""Words that are no things of the data, so that none of them is missing there."""


def _missing(words: Sequence[str], evidence: Mapping[str, Any], without: QueryDraft | None = None) -> Unanswerable:
    said_words = listed([f"“{word}”" for word in words], last="or")
    return Unanswerable(
        f"Nothing in the data stands for {said_words}. Ask without, or note as a glossary term what is meant.",
        tuple(words),
        evidence=evidence,
        without=without,
    )


def _without(best: Candidate, known: Knowledge, evidence: Mapping[str, Any]) -> QueryDraft | None:
    """The answer without the only word that is not known, where that may be left out."""
    if not may_be_left_out(best):
        return None
    told = f" Nothing in the data stands for “{best.unknown[0]}”, so that word was left out."
    memories = _memories(best.plan, known, best.resolver.memories)
    return QueryDraft(best.sql, _reading(best, known) + told, LEFT_OUT, NAME, best.plan, memories, evidence)


def _reading(one: Candidate, known: Knowledge) -> str:
    """Return how a candidate understands its question."""
    return said(one.plan, known, one.resolver.cut.linked.text)


def _evidence(one: Candidate) -> dict[str, Any]:
    return {
        "unexplained": list(one.unknown),
        "unplaced": list(one.loose),
        "doubts": [why for why, _ in one.doubts],
        "score": round(one.score, 3),
    }


def _outcome(found: Sequence[Candidate], known: Knowledge) -> Outcome:
    best = found[0]
    evidence = _evidence(best)
    if best.forbidden:
        return _refused(best.forbidden, known, evidence)
    if best.confidence < ENOUGH:
        if best.unknown and (best.facts["nouns"] or len(found) < 2):
            return _missing(best.unknown, evidence, _without(best, known, evidence))
        allowed = [one for one in found if not one.forbidden and one.score >= best.score - 0.5][:MOST_READINGS]
        readings = _readings(allowed, known)
        if len(readings) > 1:
            message = "The question can be understood in several ways. Which is meant?"
        else:
            message = "It is not clear that this is what the question means. Is it?"
        if best.loose:
            message += f" What {listed([f'“{word}”' for word in best.loose])} adds was not understood."
        return Clarification(message, readings, evidence)
    corrections = best.resolver.cut.linked.corrections
    read = listed([f"“{one.written}” as “{one.read}”" for one in corrections])
    return QueryDraft(
        best.sql,
        _reading(best, known) + (f" Read {read}." if corrections else ""),
        best.confidence,
        NAME,
        best.plan,
        _memories(best.plan, known, best.resolver.memories),
        evidence,
    )


def _memories(plan: Plan, known: Knowledge, words: Iterable[str]) -> tuple[str, ...]:
    """Return what shaped a query: the memories that its words were understood by, and those that its tables are
    joined by.
    """
    found = set(words)
    if any(memory.memory_type is MemoryType.JOIN for memory in known.memories):
        writer = Writer(known, joins_of(known))
        writer.query(plan)
        found |= writer.noted
    return tuple(sorted(found))


def _readings(found: Sequence[Candidate], known: Knowledge) -> tuple[Interpretation, ...]:
    """The readings to choose from, told apart by the keys that they go along where their words are the same."""
    texts = {one.sql: _reading(one, known) for one in found}
    made: list[Interpretation] = []
    for one in found:
        text = texts[one.sql]
        if list(texts.values()).count(text) > 1 and (ways := _ways(one.plan, known)):
            text = f"{text.rstrip('.')}, by {listed(ways)}."
        if all(one.sql != reading.sql and text != reading.text for reading in made):
            memories = _memories(one.plan, known, one.resolver.memories)
            made.append(Interpretation(text, one.sql, one.plan, memories))
    return tuple(made)


def _ways(plan: Plan, known: Knowledge) -> list[str]:
    """Return what the keys are called that rows of a plan are joined along, where there are several."""
    nested = [part.plan for part in parts_of(plan.where) if isinstance(part, Related)]
    pairs = [pair for one in (plan, *nested) for pair in one.via]
    return list(
        dict.fromkeys(
            f"the {without_id(called(known, left.table, left.column))} of the {called(known, left.table)}"
            for pair in pairs
            for left in (_referring(pair, known),)
        )
    )


def _referring(pair: tuple[Column, Column], known: Knowledge) -> Column:
    """The side of a join that refers to the other."""
    keys = {(key.table, key.columns[0]) for side in pair for key in joins_of(known).keys_of(side.table)}
    return next((side for side in pair if (side.table, side.column) in keys), pair[0])


def _refused(forbidden: Sequence[ColumnKey], known: Knowledge, evidence: Mapping[str, Any]) -> Unanswerable:
    names = listed([f"{called(known, key.table, key.column)} of {called(known, key.table)}" for key in forbidden])
    return Unanswerable(
        f"The question asks for {names}, which you may not read. Ask without it.",
        forbidden=tuple(forbidden),
        evidence=evidence,
    )
