"""Several plans for one question, how likely each is meant, and how sure the best one is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.nl2sql.joining.joins import Ambiguous, Unjoinable, Way
from resolvers.engines.nl2sql.language.measures import is_numeric, measures_of
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.language.words import COMMANDS, IDENTIFYING
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.plan import Column, Plan, Related
from resolvers.engines.nl2sql.planner.above import without_following
from resolvers.engines.nl2sql.planner.alignment import aligned
from resolvers.engines.nl2sql.planner.asked_unit import without_values
from resolvers.engines.nl2sql.planner.atoms import Cut, cut
from resolvers.engines.nl2sql.planner.catalog import Catalog, catalog_of
from resolvers.engines.nl2sql.planner.composing import Composer
from resolvers.engines.nl2sql.planner.confidence import confidence
from resolvers.engines.nl2sql.planner.contests import with_outcomes
from resolvers.engines.nl2sql.planner.ends import at_ends
from resolvers.engines.nl2sql.planner.frame import Frame
from resolvers.engines.nl2sql.planner.lasting import with_ages, with_lengths
from resolvers.engines.nl2sql.planner.parsing import parse
from resolvers.engines.nl2sql.planner.people import with_people
from resolvers.engines.nl2sql.planner.resolving import Resolver, Target
from resolvers.engines.nl2sql.planner.roles import with_roles
from resolvers.engines.nl2sql.planner.told import with_told
from resolvers.engines.nl2sql.planner.unsaid import is_deed, left_out
from resolvers.engines.nl2sql.planner.views import behind_tables, with_measures
from resolvers.engines.nl2sql.planner.ways import by_subject, ranked, with_way
from resolvers.engines.nl2sql.schema_linking.misspelled import is_slip
from resolvers.engines.nl2sql.sql_writing.comparing import Unwritable
from resolvers.engines.nl2sql.sql_writing.iso_texts import passes_over
from resolvers.engines.nl2sql.sql_writing.query import written
from resolvers.engines.nl2sql.sql_writing.uses import nodes_of, parts_of

MOST_OTHERS: Final = 5
"""How many other readings are tried beside the best."""
NEAR: Final = 0.15
"""How much worse words may fit something else for that to be tried."""
FARTHER: Final = 0.5
"""The same, when nothing else can be written."""
TOLD_APART: Final = 0.2
"""A reading that is so much less likely than another casts no doubt on it."""
ENOUGH: Final = 0.4
"""How sure a reading must be to be taken: of those below, one in five is right on questions of strangers."""
UNNAMED: Final = 0.4
"""What a column costs that is named and not used."""
JOINED: Final = 0.02
"""What each table of a query costs."""
PASSED_OVER: Final = 0.35
"""What a word before a name costs that was passed over."""
NOTED: Final = 0.8
"""How well words fit that were understood by nothing but what people noted, such as a measure."""
SEVERAL_WAYS: Final = 0.62
"""What it costs that tables belong together in several ways, and no word says in which."""
NO_NUMBERS: Final = 0.25
"""What it costs that values are passed over which are no numbers: nobody knows what they stand for."""
STRAY_DAYS: Final = 0.25
"""What it costs that texts are passed over which are no dates, or are dates in another form."""
READ_AS: Final = 0.25
"""What it costs that a misspelled word was read as another."""
SLIPPED: Final = 0.15
"""The same of a long word with one slip: nearly all such answers were right, and they tell how it was read."""
SAID_AGAIN: Final = 0.6
"""How well words must fit the column of those beside them to say nothing more."""


@dataclass(slots=True)
class Candidate:
    """One way to understand the question."""

    plan: Plan
    sql: str
    score: float
    doubts: list[tuple[str, float]]
    unknown: tuple[str, ...]
    """Words that nothing explains."""
    loose: tuple[str, ...]
    """Words that were understood but found no place."""
    resolver: Resolver
    confidence: float = 0.0
    forbidden: tuple[ColumnKey, ...] = ()
    """Columns that it needs and that the asker may not read."""
    facts: dict[str, float] = field(default_factory=dict)

    @property
    def tells_all(self) -> bool:
        """Return whether all that is said of rows is said of one table."""
        return {key.table for key in _columns(self.plan)} == {self.plan.main}

    @property
    def chooses(self) -> bool:
        """Return whether rows are chosen, put in order or put together, rather than all shown or counted."""
        return bool(self.plan.where is not None or self.plan.orders or self.plan.groups)


@dataclass(slots=True)
class Failed:
    """A plan that could not be written, and why."""

    plan: Plan | None
    reason: str
    error: Exception | None = None


def candidates(linked: Linked, known: Knowledge, *, every: bool = False) -> tuple[list[Candidate], list[Failed]]:
    """The plans that can be written, the likeliest first.

    Where the best is sure enough, those are left out that would cast no doubt on it, unless `every` one is wanted.
    """
    catalog = catalog_of(known)
    linked = without_following(with_outcomes(with_told(without_values(linked))), catalog)
    linked = with_ages(with_roles(with_people(linked, catalog), catalog), catalog)
    linked = behind_tables(_with_references(with_lengths(linked, catalog), catalog), catalog)
    pieces = cut(with_measures(linked, catalog))
    failed: list[Failed] = []
    tried: list[Plan] = []
    first = _meant(catalog, pieces, {}, failed, tried)
    found = _made(*first, catalog, pieces, failed) if first is not None else []
    resolver = found[0].resolver if found else _tried(catalog, pieces)
    farther: list[tuple[Plan, Resolver]] = []
    near = list(_others(resolver, NEAR if found else FARTHER))
    for forced in near:
        other = _meant(catalog, pieces, forced, failed, tried)
        if other is None:
            continue
        if found and not every and _is_farther(*other, pieces, catalog, found[0].score - TOLD_APART):
            farther.append(other)
        else:
            _add(found, _made(*other, catalog, pieces, failed))
    _rank(found)
    if farther and found[0].confidence < ENOUGH:
        for other in farther:
            _add(found, _made(*other, catalog, pieces, failed))
        _rank(found)
    if found and found[0].confidence < ENOUGH:  # what fits words less well may be likelier as a whole
        for forced in _others(resolver, FARTHER):
            other = None if forced in near else _meant(catalog, pieces, forced, failed, tried)
            if other is not None:
                _add(found, _made(*other, catalog, pieces, failed))
        _rank(found)
    return found, failed


def _add(found: list[Candidate], others: Iterable[Candidate]) -> None:
    """Those that are not written as one that was found."""
    for other in others:
        if all(other.sql != one.sql for one in found):
            found.append(other)


def _rank(found: list[Candidate]) -> None:
    """The likeliest first, and how sure each is."""
    found.sort(key=lambda one: -one.score)
    for at, one in enumerate(found):
        rival = next((other for other in found if other is not one), None)
        one.confidence = confidence(one, rival if at == 0 else found[0], len(found) - 1)


def _with_references(linked: Linked, catalog: Catalog) -> Linked:
    """With the tables that columns refer to: the advisor of a student is a teacher."""
    named = {(one.first, one.last) for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= 0.6}
    referring = [
        (one, one.column, key)
        for one in linked.mentions
        if one.column is not None and one.kind is MentionKind.COLUMN
        if (key := catalog.reference(one.column)) is not None and key.table != key.to
    ]
    more: list[Mention] = []
    for one, column, key in referring:
        if one.score < 0.8 or (one.first, one.last) in named:
            continue
        if linked.tokens[one.last - 1].lemma in ("id", "code", "number"):
            continue
        if not any(word in column.column.lower() for word in catalog.table_words(key.to)):
            more.append(Mention(one.first, one.last, MentionKind.TABLE, 0.7 * one.score, "reference", table=key.to))
    whole: set[tuple[int, int, str | None]]
    whole = {(one.first, one.last, one.table) for one in linked.mentions if one.table is not None and one.score >= 0.95}
    roles: set[tuple[int, int]] = set()
    for one, column, key in referring:
        if not one.first or (one.first, one.last) in named:
            continue
        role = [word for word in catalog.words(column) if word not in IDENTIFYING]
        if role == list(linked.words(one.first, one.last)) and linked.tokens[one.first - 1].text.lower() in _WHOSE:
            more.append(Mention(one.first, one.last, MentionKind.TABLE, 0.9, "reference", table=key.to))
            roles.add((one.first, one.last))  # its leader: the row referred to, rather than a value
    told = {one.column.table for one in linked.mentions if one.column is not None and one.score >= _TOLD}
    called = {(one.first, one.last) for one in linked.mentions if one.table is not None and one.score > _KEYED}
    lent = {
        (one.first, one.last, key.to)
        for one, column, key in referring
        if one.score > _KEYED and key.to in told and (one.first, one.last) not in called
        if column.table not in told | {each for *_, each in whole}
    }  # faults of severity 3, which codes of faults have, and not what has such a code
    whole |= lent
    behind = {
        id(one) for one, _, key in referring if one.score > _KEYED and (one.first, one.last, key.to) in whole
    }  # a key to a table that the same words name stands behind the table: a hut rather than `to_hut`
    if behind:
        turned = (
            one._replace(score=_KEYED)
            if id(one) in behind
            else one._replace(score=max(one.score, _LENT))
            if one.kind is MentionKind.TABLE and (one.first, one.last, one.table) in lent
            else one
            for one in linked.mentions
        )
        linked = replace(linked, mentions=tuple(turned))
    if roles:
        kept = (
            one for one in linked.mentions if one.kind is not MentionKind.VALUE or (one.first, one.last) not in roles
        )
        linked = replace(linked, mentions=tuple(kept))
    for at, token in enumerate(linked.tokens):
        # "returned" in a question is no command, though "return" is one.
        if at and token.lemma in COMMANDS and token.text.lower().endswith("ed"):
            if any(one.first <= at < one.last for one in linked.mentions):
                continue
            tables = dict.fromkeys(one.table for one in linked.mentions if one.table is not None and one.score >= 0.8)
            for column, found in catalog.vocabulary.found_columns((token.lemma,), list(tables), 2):
                more.append(Mention(at, at + 1, MentionKind.COLUMN, found.score, found.how, column=column))
    return replace(linked, mentions=(*linked.mentions, *more)) if more else linked


_KEYED: Final = 0.77
"""How well a key fits the words that its table is called by."""
_TOLD: Final = 0.95
"""How well words must name a column for its table to be spoken of."""
_LENT: Final = 0.85
"""How well a key's words call the table that it leads to, where another word names a column there."""
_WHOSE: Final = frozenset(("its", "their", "his", "her"))


def _tried(catalog: Catalog, pieces: Cut) -> Resolver:
    resolver = Resolver(catalog, pieces, parse(pieces))
    Composer(resolver).plan()
    return resolver


def _others(resolver: Resolver, near: float) -> Iterator[Mapping[tuple[int, int, str], Target]]:
    """One choice taken otherwise, the closest first."""
    close: list[tuple[float, tuple[int, int, str], Target]] = []
    for key, choice in resolver.choices.items():
        for target, score in choice.options[1:3]:
            margin = choice.options[choice.taken][1] - score
            if margin <= near and not resolver.is_said_nearer(choice.options[choice.taken][0], target):
                close.append((margin, key, target))
    close.sort(key=lambda one: one[0])
    for _, key, target in close[:MOST_OTHERS]:
        yield {key: target}


def _meant(
    catalog: Catalog,
    pieces: Cut,
    forced: Mapping[tuple[int, int, str], Target],
    failed: list[Failed],
    tried: list[Plan],
) -> tuple[Plan, Resolver] | None:
    """The plan of one choice; None when it is a plan that was tried already."""
    resolver = Resolver(catalog, pieces, parse(pieces), forced)
    plan = Composer(resolver).plan()
    if plan is None:
        failed.append(Failed(None, "Nothing in the question names what to show."))
        return None
    if plan in tried:
        return None
    tried.append(plan)
    _keep_used(resolver, plan)
    return plan, resolver


def _keep_used(resolver: Resolver, plan: Plan) -> None:
    """Leaves out what words were looked at for and are not: `price` as a table, where the query has it as a column."""
    choices = resolver.choices
    spans: dict[tuple[int, int], list[tuple[int, int, str]]] = {}
    for key in choices:
        spans.setdefault(key[:2], []).append(key)
    several = [keys for keys in spans.values() if len(keys) > 1]
    if not several:
        return
    had = _columns(plan)
    tables = {plan.main, *plan.also, *(key.table for key in had)}
    for keys in several:
        used = [
            key for key in keys if (one := choices[key]).options[one.taken][0] in (had if key[2] != "table" else tables)
        ]
        for key in keys if used else ():
            if key not in used:
                del choices[key]


def _made(plan: Plan, resolver: Resolver, catalog: Catalog, pieces: Cut, failed: list[Failed]) -> list[Candidate]:
    """The candidates of one plan: one, unless tables belong together in several ways."""
    return [
        _candidate(one, query, cost, catalog.known, pieces, resolver)
        for one, query, cost in _written(plan, catalog, pieces, failed)
        if not _denies_itself(one, query, catalog)
    ]


def _denies_itself(plan: Plan, query: exp.Query, catalog: Catalog) -> bool:
    """Return whether no row can fit: what rows have none of is what they are joined to, or said to have as well."""
    related = [one for one in parts_of(plan.where) if isinstance(one, Related)]
    bare = [one for one in related if one.plan.where is None and one.plan.having is None]
    denied = {one.plan.main for one in bare if one.negated and one.fewer == 1 and one.plan.main != plan.main}
    if not denied:
        return False
    joined = [query.find(exp.From), *query.args.get("joins", ())]
    names = {one.this.name for one in joined if one is not None}
    had = {one.plan.main for one in related if not one.negated}
    return any(table in had or catalog.tables[table].name in names for table in denied)


def _is_farther(plan: Plan, resolver: Resolver, pieces: Cut, catalog: Catalog, score: float) -> bool:
    """Return whether a plan will not score more than this, which is told before it is written."""
    if _fit(resolver) <= score:
        return True
    had = _columns(plan)
    _settle(resolver, pieces, had)
    return _fit(resolver) - UNNAMED * len(unused(had, pieces, catalog)) - JOINED <= score


def _settle(resolver: Resolver, pieces: Cut, had: set[ColumnKey]) -> None:
    """Keeps of the words that found no place those only that say something more."""
    loose = resolver.frame.loose
    loose[:] = [span for span in _loose(resolver.frame) if not _says_again(span, pieces, resolver, had)]


def _fit(resolver: Resolver) -> float:
    """How well what was chosen fits, before anything is known of the query."""
    choices, frame = resolver.choices.values(), resolver.frame
    links = [choice.options[choice.taken][1] for choice in choices]
    score = sum(links) / len(links) if links else NOTED
    score -= sum(cost for _, cost in resolver.trouble) + PASSED_OVER * len(frame.modifiers)
    score -= 0.15 * len(_loose(frame)) + 0.25 * len(frame.unknown)
    return score - sum(choice.options[0][1] - choice.options[choice.taken][1] for choice in choices)


def _loose(frame: Frame) -> list[tuple[int, int]]:
    """Words that found no place, each once."""
    return [(first, last) for first, last in dict.fromkeys(frame.loose) if last > first]


def _written(plan: Plan, catalog: Catalog, pieces: Cut, failed: list[Failed]) -> list[tuple[Plan, exp.Query, float]]:
    """The plan as a query; where tables belong together in several ways, by each of those that may be meant."""
    known = catalog.known
    try:
        return [(plan, written(plan, known, catalog.joins), 0.0)]
    except Ambiguous as error:
        failed.append(Failed(plan, str(error), error))
        told = by_subject(catalog, error.ways, pieces.linked.text)
        if told is not None:
            return _along(plan, [told], 0.0, catalog, pieces.linked.text)
        found_ends = at_ends(plan, error.ways, pieces, catalog)
        if found_ends is not None:
            try:
                return [(found_ends[0], written(found_ends[0], known, catalog.joins), found_ends[1])]
            except (Unwritable, Unjoinable, Ambiguous):
                pass
        ways = ranked(catalog, error.ways, pieces.linked.words())
    except (Unwritable, Unjoinable) as error:
        failed.append(Failed(plan, str(error), error))
        return []
    best = ways[0][1]
    is_clear = best > 0 and (len(ways) < 2 or ways[1][1] < best)
    return _along(plan, [way for way, _ in ways[: 1 if is_clear else 3]], 0.0 if is_clear else SEVERAL_WAYS, catalog)


def _along(
    plan: Plan, ways: Sequence[Way], cost: float, catalog: Catalog, text: str = ""
) -> list[tuple[Plan, exp.Query, float]]:
    """The plan joined along each way in turn, as far as that can be written; where `text` is told, other tables that
    belong together in several ways are joined by what it says.
    """
    found: list[tuple[Plan, exp.Query, float]] = []
    for way in ways:
        for one in with_way(plan, way):
            try:
                found.append((one, written(one, catalog.known, catalog.joins), cost))
                break
            except Ambiguous as error:
                told = by_subject(catalog, error.ways, text) if text and way not in error.ways else None
                if told is not None and (more := _along(one, [told], cost, catalog)):
                    found += more
                    break
            except (Unwritable, Unjoinable):
                continue
    return found


def _candidate(
    plan: Plan, query: exp.Query, way_cost: float, known: Knowledge, pieces: Cut, resolver: Resolver
) -> Candidate:
    frame = resolver.frame
    sql = query.sql(known.dialect, copy=False)
    nodes = nodes_of(query)
    joins = sum(isinstance(node, exp.Table) for node in nodes)
    tokens = pieces.linked.tokens
    had = _columns(plan)
    unknown = tuple(" ".join(token.text for token in tokens[first:last]) for first, last in frame.unknown)
    _settle(resolver, pieces, had)
    loose = tuple(" ".join(token.text for token in tokens[first:last]) for first, last in _loose(frame))
    unnamed = len(unused(had, pieces, catalog_of(known)))
    doubts = [*resolver.trouble, *([("tables belong together in several ways", way_cost)] if way_cost else [])]
    doubts += [("a column is named and not used", UNNAMED)] * unnamed
    doubts += [("a word before a name was passed over", PASSED_OVER)] * len(frame.modifiers)
    read = pieces.linked.corrections
    doubts += [("a word was read as another", SLIPPED if is_slip(one) else READ_AS) for one in read]
    unsaid = left_out(nodes, pieces, catalog_of(known))
    doubts += unsaid
    doubts += [("some values are no numbers, and are passed over", NO_NUMBERS)] * _passes_over(plan, catalog_of(known))
    doubts += [("some dates are written in another way, and are passed over", STRAY_DAYS)] * passes_over(nodes)
    nouns = [word for (first, last), word in zip(frame.unknown, unknown, strict=True) if not is_deed(tokens, first)]
    score = _fit(resolver) - way_cost - UNNAMED * unnamed - JOINED * joins - sum(cost for _, cost in unsaid)
    taken = {choice.options[choice.taken][0] for choice in resolver.choices.values()}
    meant = {one for one in taken if isinstance(one, ColumnKey)} | had
    forbidden = tuple(sorted(meant & known.forbidden, key=str))
    facts = {"nouns": float(len(nouns)), **aligned(plan, nodes, resolver, had)}
    return Candidate(plan, sql, score, doubts, unknown, loose, resolver, forbidden=forbidden, facts=facts)


def _passes_over(plan: Plan, catalog: Catalog) -> bool:
    """Return whether a query reckons with a text of numbers that holds other texts as well, which it has to
    pass over.
    """
    reckoned = replace(plan, outputs=tuple(one for one in plan.outputs if not isinstance(one.term, Column)), groups=())
    return any(map(catalog.holds_more_than_numbers, _columns(reckoned)))


def _says_again(span: tuple[int, int], pieces: Cut, resolver: Resolver, had: set[ColumnKey]) -> bool:
    """Return whether words go on with those beside them, which stand for a column that they name too, or for a value of
    it: cell phone number, the Docks district.
    """
    beside = [one for one in resolver.choices.values() if span[0] == one.last or span[1] == one.first]
    taken = {one.options[one.taken][0] for one in beside if one.kind in ("column", "value")}
    named = [one for one in pieces.linked.mentions if (one.first, one.last) == span and one.score >= SAID_AGAIN]
    first, last = (pieces.linked.tokens[at] for at in (span[0], span[1] - 1))
    unit = span[0] and is_numeric(pieces.linked.tokens[span[0] - 1].text) and bool(measures_of(last.lemma))
    verb = span[1] - span[0] == 1 and first.lemma in VERBS  # in what year did it open; more than 60 kg
    return any(one.column in taken or ((verb or unit) and one.column in had) for one in named)


def unused(had: Set[ColumnKey], pieces: Cut, catalog: Catalog) -> list[str]:
    """Words that name a column and nothing else, where none of the columns of a plan is called by one of them."""
    called = {root_of(word) for column in had for word in catalog.words(column)} | {"name"}
    found: list[str] = []
    for atom in pieces.atoms:
        ref = atom.ref
        if (
            ref is None
            or atom.cue is not None
            or atom.verbal
            or ref.tables
            or ref.values
            or ref.literals
            or ref.measures
        ):
            continue
        named = {one.column for one in ref.columns if one.column is not None and one.score >= 0.8}
        said = {root_of(word) for word in pieces.linked.words(ref.first, ref.last)}
        sure = ref.best(MentionKind.COLUMN) >= 0.95 and not said & called
        if sure and named and not named & had and not any(map(catalog.is_key, named)):
            found.append(atom.text)
    return found


def _columns(plan: Plan) -> set[ColumnKey]:
    """Every column that a plan names."""
    found: set[ColumnKey] = set()
    waiting: list[Any] = [plan]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is Column:
            found.add(ColumnKey(node.table, node.column))
        elif kind is tuple:
            waiting += node
        else:
            names = _FIELDS.get(kind)
            if names is None:
                names = _FIELDS[kind] = tuple(one.name for one in fields(node)) if is_dataclass(node) else ()
            for name in names:
                waiting.append(getattr(node, name))
    return found


_FIELDS: Final[dict[type[Any], tuple[str, ...]]] = {}
"""The fields of each kind of node; none of what is no node."""
