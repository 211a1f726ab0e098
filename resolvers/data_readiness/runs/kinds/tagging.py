"""Tags for personal data and for sensitivity: one unit per table, from a sample of its rows.

A table is looked at again only when its sample, what is said about its columns, or the recognisers have changed. What
people decided stands: a tag that was confirmed or rejected keeps its state whatever is found, a tag that somebody put
on an asset by hand counts as confirmed, and one that was confirmed and taken off by hand counts as rejected. None of
them is proposed again. A suggestion that no longer holds is withdrawn.
"""

import asyncio
import hashlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar, Final

from persistence.queries.classifications import Looked, StandingTags, classification_id
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.proposing import ProposalDraft, basis_of, put_new
from resolvers.data_readiness.levels import personal_data
from resolvers.data_readiness.passed_on import passed_on, with_passed_on
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.reading import facts_of, gone, tables_of, use_table
from resolvers.data_readiness.runs.sampling import sample_size
from resolvers.engines.joint import BESIDE_PERSONAL_DATA
from resolvers.engines.recognition import VERSION, TagFinding, fingerprint, recognize
from resolvers.engines.recognition.taxonomy import (
    LEVELS,
    TABLE_TAG,
    TAXONOMY,
    Level,
    column_level,
    table_level,
)
from schema.data_readiness.classification import (
    CATEGORIES,
    HELD,
    Classification,
    ClassificationKind,
    ClassificationState,
)
from schema.data_readiness.proposal import ProposalKind
from schema.data_readiness.source import Sample, Source, TableFacts

SAMPLE_ROWS: Final = 5_000
"""Rows that are looked at, when a run does not say."""

MOST_ROWS: Final = 10_000
"""Rows that are looked at at most: more would tell nothing new."""

_PII: Final = CATEGORIES[ClassificationKind.PII]
_SENSITIVITY: Final = CATEGORIES[ClassificationKind.SENSITIVITY]
_LOWEST: Final = f"{_SENSITIVITY}.{Level.INTERNAL.tag}"

NOTHING_FOUND: Final = 0.9
"""The confidence of the lowest level: of columns without a finding, about one in ten holds something, as measured
without names by `make quality`."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """One tag that an asset should have, as an engine says."""

    asset_fqn: str
    tag: str
    """Its name within the category."""
    confidence: float
    evidence: tuple[Mapping[str, Any], ...]
    data_fingerprint: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Holds what came out of looking at a table."""

    facts: TableFacts
    looked: Looked
    tags: tuple[Tagged, ...]
    changed: bool = True
    """Whether it was really looked at again."""
    rows: int = 0


class Tagging(RunWork):
    """Describes what both kinds of tagging share."""

    proposes = True
    when_failed = "; the tags of the other tables are proposed"
    kind: ClassVar[ClassificationKind]
    proposal: ClassVar[ProposalKind]

    async def units(self) -> Sequence[RunUnit]:
        """One unit per table. Raises JobError when there is none."""
        return [RunUnit(fqn, {"table": fqn, "resource_uri": uri}) for fqn, uri in await tables_of(self)]

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Look at a table; what was found is written as the task closes."""
        fqn = str(arguments["table"])
        found = await facts_of(self.ctx, [fqn])
        if not found:
            raise gone(fqn)
        seen = await self.look(found[0])
        await self.progress(arguments, seen.rows, seen.rows)

        def write(uow: UnitOfWork) -> dict[str, int]:
            return self._written(uow, seen, arguments)

        return write

    @abstractmethod
    async def look(self, facts: TableFacts) -> Seen:
        """Look at one table."""

    async def sampled(self, facts: TableFacts) -> Sample:
        """Some rows of a table."""
        names = [column.name for column in facts.columns]

        def read(source: Source) -> Sample:
            rows = sample_size(self.run, source, facts, usual=SAMPLE_ROWS, most=MOST_ROWS)
            return source.sample(source.relation(facts.database, facts.schema, facts.name), names, rows)

        if not names:
            return Sample((), (), True)
        return await use_table(self.ctx, facts, read)

    async def recognized(self, facts: TableFacts, sample: Sample) -> dict[str, list[TagFinding]]:
        """Return what the columns hold; in a thread, for it takes seconds for a wide table."""
        return await asyncio.to_thread(recognize, facts, sample, self.ctx.now())

    async def looked_before(self, fqn: str) -> Looked | None:
        """Return how the table was when it was looked at last."""
        return await self.ctx.store.read(lambda uow: uow.classifications.looked(self.scope, fqn, self.kind))

    def _written(self, uow: UnitOfWork, seen: Seen, arguments: Mapping[str, Any]) -> dict[str, int]:
        repository, now = uow.classifications, self.ctx.now()
        names = [seen.facts.fqn, *(column.fqn for column in seen.facts.columns)]
        catalog = repository.tags_of(self.scope, names)
        standing = repository.of_assets(self.scope, names, self.kind)
        decided = people_decided(uow, self.scope, now, catalog, standing)
        before = {(one.asset_fqn, one.tag_fqn): one for some in standing.values() for one in some}
        counts = {"tables": 1, "unchanged": int(not seen.changed), "decided_by_hand": decided}
        if not seen.changed:
            drafts = [
                self._draft(catalog, one.asset_fqn, one.tag_fqn, one.confidence, one.evidence)
                for one in before.values()
                if one.state is ClassificationState.SUGGESTED and one.asset_fqn in catalog
            ]
            return {**counts, "proposals": put_new(self, uow, self._beside(drafts), arguments)}
        new: list[Classification] = []
        wanted: list[ProposalDraft] = []
        seen_now: set[str] = set()
        for tag in seen.tags:
            if tag.asset_fqn not in catalog:
                continue  # vanished while it was looked at
            tag_fqn = f"{CATEGORIES[self.kind]}.{tag.tag}"
            confirmed = {one.tag_fqn for one in standing.get(tag.asset_fqn, ()) if one.state in HELD}
            by_hand = self._by_hand(catalog[tag.asset_fqn], tag_fqn, confirmed)
            known = before.get((tag.asset_fqn, tag_fqn))
            state = ClassificationState.SUGGESTED if known is None else known.state
            if known is None and by_hand is not None:
                if not by_hand:
                    continue  # people gave it another level
                state = ClassificationState.CONFIRMED
            values: dict[str, Any] = {
                "confidence": tag.confidence,
                "evidence": [dict(one) for one in tag.evidence],
                "recognizer_version": VERSION,
                "data_fingerprint": tag.data_fingerprint,
                "workflow_run_id": self.run.id,
                "updated_at": now,
            }
            id = classification_id(self.scope, tag.asset_fqn, tag_fqn)
            seen_now.add(id)
            if known is None:
                new.append(
                    Classification(
                        id=id,
                        asset_fqn=tag.asset_fqn,
                        resource_uri=catalog[tag.asset_fqn].resource_uri,
                        kind=self.kind,
                        tag_fqn=tag_fqn,
                        state=state,
                        decided_by=None,
                        decided_at=now if state is ClassificationState.CONFIRMED else None,
                        created_at=now,
                        **values,
                    )
                )
            else:
                repository.see_again(self.scope, known.id, values)
            if state is ClassificationState.SUGGESTED:
                wanted.append(self._draft(catalog, tag.asset_fqn, tag_fqn, tag.confidence, tag.evidence))
        gone = [
            one.id for one in before.values() if one.id not in seen_now and one.state is ClassificationState.SUGGESTED
        ]
        repository.put(self.scope, new)
        repository.withdraw(self.scope, gone)
        repository.remember(self.scope, seen.facts.fqn, self.kind, seen.looked, run_id=self.run.id, at=now)
        proposals = put_new(self, uow, self._beside(wanted), arguments)
        return {**counts, "found": len(seen_now), "new": len(new), "withdrawn": len(gone), "proposals": proposals}

    def _by_hand(self, on: StandingTags, tag_fqn: str, confirmed: Set[str]) -> bool | None:
        """True when the tag stands already, False when people's other tags shut it out, None when it is open.

        `confirmed` are the asset's tags that were proposed once and put on it.
        """
        return True if tag_fqn in on.fqns else None

    def _beside(self, drafts: Sequence[ProposalDraft]) -> Sequence[ProposalDraft]:
        """Return the drafts about one table, with what each tells of the others."""
        return drafts

    @abstractmethod
    def _described(self, tag_fqn: str) -> str:
        """Return what a tag says, in a sentence."""

    def _draft(
        self,
        catalog: Mapping[str, StandingTags],
        asset_fqn: str,
        tag_fqn: str,
        confidence: float,
        evidence: Sequence[Mapping[str, Any]],
    ) -> ProposalDraft:
        category, name = CATEGORIES[self.kind], tag_fqn.split(".", 1)[1]
        return ProposalDraft(
            asset_fqn=asset_fqn,
            kind=self.proposal,
            field="tags",
            value={
                "tag_id": tag_fqn,
                "tag_fqn": tag_fqn,
                "category_name": category,
                "tag_name": name,
                "tag_description": self._described(tag_fqn),
            },
            evidence={
                "classification_id": classification_id(self.scope, asset_fqn, tag_fqn),
                "recognizer_version": VERSION,
                "found": [dict(one) for one in evidence],
            },
            confidence=confidence,
            # With other tags on the asset an older proposal could not be carried out any more.
            basis=basis_of(tag_fqn, sorted(catalog[asset_fqn].fqns)),
            current=[dict(tag) for tag in catalog[asset_fqn].tags],
        )


def people_decided(
    uow: UnitOfWork,
    scope: Scope,
    now: datetime,
    catalog: Mapping[str, StandingTags],
    standing: dict[str, list[Classification]],
) -> int:
    """Take over what people did in the catalog by hand since the last run: tags put on, and tags taken off."""
    moved = 0
    for fqn, known in standing.items():
        if fqn not in catalog:
            continue
        on = catalog[fqn]
        for place, one in enumerate(known):
            to = None
            if one.tag_fqn in on.fqns and one.state not in HELD:
                to = ClassificationState.CONFIRMED
            elif one.state in HELD and one.tag_fqn not in on.fqns and on.written_by_people:
                to = ClassificationState.REJECTED
            if to is not None:
                uow.classifications.decide(scope, [one.id], to, by=None, at=now, now=now)
                known[place] = one.model_copy(update={"state": to})
                moved += 1
    return moved


class PiiTagging(Tagging):
    """One run of generate-pii-tags."""

    kind = ClassificationKind.PII
    proposal = ProposalKind.PII_TAG

    async def look(self, facts: TableFacts) -> Seen:
        """Sample the table and recognise what its columns hold."""
        sample = await self.sampled(facts)
        passed = await self.ctx.store.read(lambda uow: passed_on(uow, self.scope, facts))
        prints = {column.name: fingerprint(column, sample) for column in facts.columns if column.name in sample.columns}
        looked = Looked(VERSION, _whole(facts, prints, passed))
        rows = len(sample.rows)
        if await self.looked_before(facts.fqn) == looked:
            return Seen(facts, looked, (), changed=False, rows=rows)
        found = with_passed_on(await self.recognized(facts, sample), passed)
        return Seen(facts, looked, tuple(pii_tags(facts, found, prints, looked)), rows=rows)

    def _described(self, tag_fqn: str) -> str:
        return TAXONOMY[tag_fqn.split(".", 1)[1]].description


def pii_tags(
    facts: TableFacts, found: Mapping[str, Sequence[TagFinding]], prints: Mapping[str, str], looked: Looked
) -> list[Tagged]:
    """The tags of a table's columns, and the table's own when it has any."""
    tags = [
        Tagged(column.fqn, one.tag, one.confidence, one.evidence, prints.get(column.name, looked.data_fingerprint))
        for column in facts.columns
        for one in found.get(column.name, ())
    ]
    if tags:
        sure = 1.0
        for tag in tags:
            sure *= 1 - tag.confidence
        columns = len({tag.asset_fqn for tag in tags})
        told = {
            "recognizer": "columns",
            "source": "values",
            "share": round(columns / len(facts.columns), 4),
            "weight": 1.0,
            "reason": f"{columns} of {len(facts.columns)} columns hold personal or secret data.",
        }
        tags.append(Tagged(facts.fqn, TABLE_TAG.name, round(1 - sure, 4), (told,), looked.data_fingerprint))
    return tags


class SensitivityTagging(Tagging):
    """One run of generate-sensitivity-tags."""

    kind = ClassificationKind.SENSITIVITY
    proposal = ProposalKind.SENSITIVITY_TAG

    async def look(self, facts: TableFacts) -> Seen:
        """Judge what personal data the columns hold: as classified, or as recognised here when nobody has looked."""
        known, looked_for = await self.ctx.store.read(lambda uow: self._known(uow, facts))
        rows = 0
        if not looked_for:
            sample = await self.sampled(facts)
            rows = len(sample.rows)
            found = await self.recognized(facts, sample)
            for column in facts.columns:
                known[column.fqn] = {one.tag: one.confidence for one in found.get(column.name, ())} | known[column.fqn]
        looked = Looked(VERSION, basis_of(sorted((fqn, sorted(tags.items())) for fqn, tags in known.items())))
        if await self.looked_before(facts.fqn) == looked:
            return Seen(facts, looked, (), changed=False, rows=rows)
        return Seen(facts, looked, tuple(sensitivity_tags(facts, known, looked.data_fingerprint)), rows=rows)

    def _known(self, uow: UnitOfWork, facts: TableFacts) -> tuple[dict[str, dict[str, float]], bool]:
        """The personal data of each column with its confidence, and whether it was looked for."""
        known = personal_data(uow, self.scope, [column.fqn for column in facts.columns])
        looked = uow.classifications.looked(self.scope, facts.fqn, ClassificationKind.PII)
        return known, looked is not None

    def _by_hand(self, on: StandingTags, tag_fqn: str, confirmed: Set[str]) -> bool | None:
        if tag_fqn in on.fqns:
            return True
        levels = {tag for tag in on.fqns if tag.startswith(f"{_SENSITIVITY}.")}
        # That nothing was found was no judgement about what is found later.
        return None if levels <= ({_LOWEST} & confirmed) else False

    def _beside(self, drafts: Sequence[ProposalDraft]) -> Sequence[ProposalDraft]:
        if all(_is_default(one) for one in drafts):
            return drafts
        return [replace(one, evidence={**one.evidence, BESIDE_PERSONAL_DATA: True}) for one in drafts]

    def _described(self, tag_fqn: str) -> str:
        return LEVELS[Level[tag_fqn.split(".", 1)[1].upper()]]


def _is_default(draft: ProposalDraft) -> bool:
    """Return whether a level is what anything has of which nothing was found."""
    return bool(draft.evidence["found"] == [_NOTHING])


def sensitivity_tags(
    facts: TableFacts, known: Mapping[str, Mapping[str, float]], data_fingerprint: str
) -> list[Tagged]:
    """The level of each column and of the table; see the taxonomy. What has no finding has the lowest."""
    tags = []
    for column in facts.columns:
        held = known.get(column.fqn) or {}
        if not held:
            tags.append(Tagged(column.fqn, Level.INTERNAL.tag, NOTHING_FOUND, (_NOTHING,), data_fingerprint))
            continue
        level = column_level(held)
        reasons = [tag for tag in held if column_level([tag]) is level]
        tags.append(
            Tagged(
                column.fqn,
                level.tag,
                max(held[tag] for tag in reasons),
                tuple(_because(tag, held[tag], level) for tag in sorted(reasons)),
                data_fingerprint,
            )
        )
    if tags:
        level, raised = table_level(known.values())
        if raised is not None:
            parts = [
                max((sure for held in known.values() for tag, sure in held.items() if tag in group), default=0.0)
                for group in raised.groups
            ]
            sure = 1.0
            for part in parts:
                sure *= part
            told: Mapping[str, Any] = {
                "recognizer": "combination", "source": "neighbours", "weight": 1.0, "reason": raised.reason
            }  # fmt: skip
        else:
            of_level = [tag for tag in tags if tag.tag == level.tag]
            sure = max(tag.confidence for tag in of_level)
            told = {
                "recognizer": "taxonomy", "source": "neighbours", "weight": 1.0,
                "reason": f"{len(of_level)} of its columns are {level.tag}, and none is more sensitive.",
            } if any(known.values()) else _NOTHING  # fmt: skip
        tags.append(Tagged(facts.fqn, level.tag, round(sure, 4), (told,), data_fingerprint))
    return tags


_NOTHING: Final[Mapping[str, Any]] = {
    "recognizer": "taxonomy",
    "source": "values",
    "weight": NOTHING_FOUND,
    "reason": "No personal or secret data was found, and what has no finding is for people of the organization.",
}


def _because(tag: str, confidence: float, level: Level) -> dict[str, Any]:
    what = TAXONOMY[tag].description if tag in TAXONOMY else "Tagged as personal data by hand."
    return {
        "recognizer": "taxonomy",
        "source": "values",
        "weight": round(confidence, 3),
        "reason": f"{_PII}.{tag} is {level.tag}: {what}",
    }


def _whole(facts: TableFacts, prints: Mapping[str, str], passed: Mapping[str, Sequence[TagFinding]]) -> str:
    brought = [(column, [(one.tag, one.confidence) for one in some]) for column, some in sorted(passed.items())]
    told = repr((facts.name, facts.description, sorted(prints.items()), *([brought] if brought else [])))
    return hashlib.sha256(told.encode(errors="replace")).hexdigest()[:32]
