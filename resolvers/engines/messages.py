"""What people are told of events: a short text that names what happened, where, how much, and what to do about it.

It is made of names and figures that events hold. What a source or a driver said in its own words is left out: a
chat and a mailbox are other people's systems. A name is a name and nothing more, whatever signs are in it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn, join_fqn
from schema.utils.event import EventType, PlatformEvent

MOST_LINES: Final = 10
"""How many events of a message have a line of their own; the others are counted."""
MOST_ADVICE: Final = 3
"""Of how many kinds of events a message says what to do."""
LONGEST_NAME: Final = 120
LONGEST_LINK: Final = 400
"""From how many characters on a link leads to the page without what narrows it."""

Say = Callable[[str], str]
"""How a name is written."""

_RANKS: Final = {severity: rank for rank, severity in enumerate(Severity)}
_COUNTED: Final[Mapping[EventType, tuple[str, str]]] = {
    EventType.VIOLATION_OPENED: ("new violation", "new violations"),
    EventType.VIOLATION_REOPENED: ("violation open again", "violations open again"),
    EventType.VIOLATION_RESOLVED: ("violation resolved", "violations resolved"),
    EventType.SCORE_FELL: ("score fell", "scores fell"),
    EventType.RUN_STARTED: ("run began", "runs began"),
    EventType.RUN_ENDED: ("run ended", "runs ended"),
    EventType.SCHEMA_CHANGED: ("change of columns or tables", "changes of columns or tables"),
    EventType.PERSONAL_DATA_FOUND: ("table with personal data found", "tables with personal data found"),
    EventType.PROPOSALS_WAITING: ("run waits for a decision", "runs wait for a decision"),
    EventType.CONNECTION_BROKE: ("broken connection", "broken connections"),
    EventType.TERM_APPROVED: ("term approved", "terms approved"),
    EventType.BUDGET_NEARLY_SPENT: ("budget of calls nearly spent", "budgets of calls nearly spent"),
    EventType.WEBHOOK_TEST: ("test", "tests"),
}


@dataclass(frozen=True, slots=True)
class Message:
    """A message to people: one line that says what it is about, and the whole text, which begins with that line."""

    headline: str
    text: str


def plain(name: str) -> str:
    """A name in a plain text: on one line, of printable signs, not too long."""
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"


def in_chat(name: str) -> str:
    """A name in a chat, as code, so that nothing in it mentions people, links or takes a form."""
    return f"`{plain(name).translate(_NO_MARKS)}`"


_NO_MARKS: Final = str.maketrans({"`": "'", "<": "(", ">": ")"})


def message(events: Sequence[PlatformEvent], *, more: int, root: str | None, say: Say) -> Message:
    """Tell of events, the worst first.

    Args:
        events: What happened, one at least.
        more: How many have happened besides, of which nothing is known any more.
        root: The address of the platform, to which links lead; None for a text without links.
        say: How names are written.
    """
    ordered = sorted(events, key=lambda event: (-_rank(event), event.sequence))
    kinds = list(dict.fromkeys(event.type for event in ordered))
    place = _common(event.asset_fqn for event in ordered)
    headline = _headline(ordered, kinds, place, say)
    lines = [headline, *(f"• {_line(event, say)}" for event in ordered[:MOST_LINES])]
    if left := max(len(ordered) - MOST_LINES, 0) + more:
        lines.append(f"and {left:,} more")
    for kind in kinds[:MOST_ADVICE]:
        lines += _advice(kind, [event for event in ordered if event.type is kind], root)
    return Message(headline, "\n".join(lines))


def _headline(events: Sequence[PlatformEvent], kinds: Sequence[EventType], place: str | None, say: Say) -> str:
    numbers = Counter(event.type for event in events)
    said = ", ".join(f"{numbers[kind]:,} {_COUNTED[kind][numbers[kind] > 1]}" for kind in kinds)
    return said if place is None else f"{said} in {say(place)}"


def _line(event: PlatformEvent, say: Say) -> str:
    """One event, with how bad it is."""
    said = _LINES[event.type](event.data, say)
    if event.asset_fqn is not None:
        said += f" at {say(event.asset_fqn)}"
    if (checked := event.data.get("checked") or 0) > 1:
        said += f", {event.data['wrong']:,} of {checked:,} wrong"
    return said if event.severity is None else f"{event.severity.value}: {said}"


def _violation(data: Mapping[str, Any], say: Say) -> str:
    return say(str(data.get("display_name") or data.get("name")))


def _score(data: Mapping[str, Any], say: Say) -> str:
    return f"the score of the data fell from {data.get('score_before')} to {data.get('score')}"


def _run(data: Mapping[str, Any], say: Say) -> str:
    return f"{say(str(data.get('workflow_name')))} {data.get('status')}"


def _schema(data: Mapping[str, Any], say: Say) -> str:
    if data.get("change") == "removed":
        return "gone from its source"
    total = data.get("total") or 0
    named = ", ".join(f"{say(str(one['name']))} {one['change']}" for one in (data.get("columns") or ())[:3])
    return f"{_number(total, 'column', 'columns')} changed ({named}{', …' if total > 3 else ''})"


def _personal(data: Mapping[str, Any], say: Say) -> str:
    return f"{_number(data.get('total') or 0, 'column', 'columns')} with personal data"


def _proposals(data: Mapping[str, Any], say: Say) -> str:
    return f"{_number(data.get('proposals') or 0, 'proposal', 'proposals')} of a run"


def _connection(data: Mapping[str, Any], say: Say) -> str:
    return f"{say(str(data.get('name')))} can no longer be verified"


def _term(data: Mapping[str, Any], say: Say) -> str:
    return say(str(data.get("name")))


def _spent(data: Mapping[str, Any], say: Say) -> str:
    left, limit = data.get("remaining") or 0, data.get("limit") or 0
    return f"{say(str(data.get('user_id')))} has {left:,} of {limit:,} {data.get('kind')} a minute left"


def _test(data: Mapping[str, Any], say: Say) -> str:
    return f"{say(str(data.get('name')))} is tried out by {say(str(data.get('asked_by')))}"


_LINES: Final[Mapping[EventType, Callable[[Mapping[str, Any], Say], str]]] = {
    EventType.VIOLATION_OPENED: _violation,
    EventType.VIOLATION_REOPENED: _violation,
    EventType.VIOLATION_RESOLVED: _violation,
    EventType.SCORE_FELL: _score,
    EventType.RUN_STARTED: _run,
    EventType.RUN_ENDED: _run,
    EventType.SCHEMA_CHANGED: _schema,
    EventType.PERSONAL_DATA_FOUND: _personal,
    EventType.PROPOSALS_WAITING: _proposals,
    EventType.CONNECTION_BROKE: _connection,
    EventType.TERM_APPROVED: _term,
    EventType.BUDGET_NEARLY_SPENT: _spent,
    EventType.WEBHOOK_TEST: _test,
}


def _advice(kind: EventType, events: Sequence[PlatformEvent], root: str | None) -> list[str]:
    """Return what to do about events of a kind, with a link where there is an address; nothing where nothing is to be
    done.
    """
    if kind is EventType.RUN_ENDED:
        events = [event for event in events if event.data.get("status") != "completed"]
    if kind not in _ADVICE or not events:
        return []
    words, place, narrowed = _ADVICE[kind]
    if root is None:
        return [f"{words}."]
    return [f"{words}: {_link(root, place, narrowed(events))}"]


def _in_place(events: Sequence[PlatformEvent]) -> dict[str, str]:
    place = _common(event.asset_fqn for event in events)
    return {"of": "violations"} | ({} if place is None or "*" in place else {"like": f"{place}*"})


def _of_table(events: Sequence[PlatformEvent]) -> dict[str, str]:
    place = _common(event.asset_fqn for event in events)
    return {} if place is None else {"fqn": place}


def _of_run(events: Sequence[PlatformEvent]) -> dict[str, str]:
    runs = {str(event.data.get("run_id")) for event in events}
    return {"run": runs.pop()} if len(runs) == 1 else {}


def _run_page(events: Sequence[PlatformEvent]) -> dict[str, str]:
    run = _of_run(events)
    return run and run | {"configuration": str(events[0].data.get("configuration_id"))}


_ADVICE: Final[Mapping[EventType, tuple[str, str, Callable[[Sequence[PlatformEvent]], dict[str, str]]]]] = {
    EventType.VIOLATION_OPENED: ("Decide about the violations in the inbox", "inbox", _in_place),
    EventType.VIOLATION_REOPENED: ("Look why they came back, in the inbox", "inbox", _in_place),
    EventType.RUN_ENDED: ("See what the run says of its end", "runs", _run_page),
    EventType.SCORE_FELL: ("See what lowers it", "asset", _of_table),
    EventType.SCHEMA_CHANGED: ("Look at the table, and at what reads it", "asset", _of_table),
    EventType.PERSONAL_DATA_FOUND: ("Confirm or refuse the tags, and who may read the table", "asset", _of_table),
    EventType.PROPOSALS_WAITING: ("Decide about the proposals in the inbox", "inbox", _of_run),
    EventType.CONNECTION_BROKE: (
        "Correct its address or credentials and verify it again",
        "runs",
        lambda _: {"of": "sources"},
    ),
    EventType.BUDGET_NEARLY_SPENT: (
        "Have the program ask less often, or raise the limit",
        "access",
        lambda _: {"of": "limits"},
    ),
}


def _link(root: str, place: str, narrowed: Mapping[str, str]) -> str:
    page = f"{root.rstrip('/')}/console#/{place}"
    whole = f"{page}?{urlencode(narrowed, quote_via=quote)}" if narrowed else page
    return whole if len(whole) <= LONGEST_LINK else page


def _common(fqns: Iterable[str | None]) -> str | None:
    """The asset that all of some assets are in, or are; None where there is none, or one is about no asset."""
    shared: list[str] | None = None
    for fqn in fqns:
        if fqn is None:
            return None
        try:
            parts = list(Fqn.parse(fqn).parts)
        except ValueError:
            return None
        if shared is None:
            shared = parts
        else:
            alike = (one == other for one, other in zip(shared, parts, strict=False))
            shared = shared[: next((at for at, same in enumerate(alike) if not same), min(len(shared), len(parts)))]
    return join_fqn(shared) if shared else None


def _rank(event: PlatformEvent) -> int:
    return -1 if event.severity is None else _RANKS[event.severity]


def _number(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
