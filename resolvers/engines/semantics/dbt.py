"""dbt: semantic models and metrics, from its properties files or from `target/semantic_manifest.json`.

Read are the form with `semantic_models`, `measures` and `type_params`, which the manifest has too, and the later one,
where a model says `semantic_model` and its metrics aggregate by themselves. The later one is turned into the first.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import Understood, UnreadableDocument, text_of
from resolvers.engines.semantics.fragments import FragmentRefused, aggregated, column, fragment, ratio
from resolvers.engines.semantics.model import (
    Dataset,
    Field,
    Link,
    Measure,
    Model,
    Words,
    by_name,
    places,
    short,
    unread,
)

_REF: Final = re.compile(r"""\s*(?:\{\{)?\s*ref\(\s*(?:['"][^'"]*['"]\s*,\s*)?['"]([^'"]+)['"][^)]*\)\s*(?:\}\})?\s*""")
_SOURCE: Final = re.compile(
    r"""\s*(?:\{\{)?\s*source\(\s*['"]([^'"]+)['"]\s*,\s*['"]([^'"]+)['"]\s*\)\s*(?:\}\})?\s*"""
)
_DIMENSION: Final = re.compile(r"""\{\{\s*Dimension\(\s*['"](\w{1,200})__(\w{1,200})['"]\s*\)\s*\}\}""")
_TEMPLATE: Final = re.compile(r"\{\{.{0,200}?\}\}|\{%")
_KEYS: Final = frozenset({"primary", "unique", "natural"})
_NAMED: Final = frozenset({"name", "label", "description", "expr", "metadata"})
"""What everything may say; the metadata of the manifest tell in which file it stands."""
_OF_MODELS: Final = _NAMED | {
    "model", "node_relation", "primary_entity", "defaults", "entities", "dimensions", "measures",
}  # fmt: skip
_OF_PARTS: Final = _NAMED | {
    "type", "type_params", "agg", "agg_params", "agg_time_dimension", "non_additive_dimension", "create_metric",
}  # fmt: skip
_OF_METRICS: Final = _OF_PARTS | {
    "filter", "stoa_home", "numerator", "denominator", "metrics", "input_metrics", "fill_nulls_with",
    "join_to_timespine",
}  # fmt: skip
_CHANGING: Final = ("window", "grain_to_date", "offset_window", "offset_to_grain", "cumulative_type_params")
"""What makes another figure of a metric, by moments that no expression says."""
_UNKEPT: Final = ("fill_nulls_with", "join_to_timespine")
"""What a metric of dbt says that decides about rows without data, and no memory says."""


def read_dbt_semantics(document: Mapping[str, Any], dialect: str, found: Understood) -> list[Model]:
    """The one model of a file. Raises UnreadableDocument."""
    listed = [
        *places(document.get("semantic_models"), "semantic_models"),
        *((place, model) for place, model in _later(document)),
    ]
    metrics = [*places(document.get("metrics"), "metrics"), *_later_metrics(document)]
    if not listed and not metrics:
        raise UnreadableDocument(
            "The file is no semantic model of dbt: it has neither `semantic_models` nor `metrics`, and no model in it "
            "says `semantic_model`."
        )
    reader = _Reader(dialect, found, Model(_project(document)))
    for place, said in listed:
        try:
            reader.dataset(said, place)
        except FragmentRefused as refused:
            found.miss(place, str(refused))
    reader.metrics = {name: said for _, said in metrics if (name := text_of(said.get("name"))) is not None}
    for place, said in metrics:
        reader.metric(said, place)
    reader.rest()
    reader.links()
    return [reader.model]


def _project(document: Mapping[str, Any]) -> str:
    metadata = document.get("metadata")
    return (text_of(metadata.get("project_name")) if isinstance(metadata, dict) else None) or "dbt"


def _later(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The models that say `semantic_model`, in the words of the earlier form."""
    for place, model in places(document.get("models"), "models"):
        said = model.get("semantic_model")
        about = said if isinstance(said, dict) else {}
        if not said or about.get("enabled") is False:
            continue
        derived = model.get("derived_semantics")
        derived = derived if isinstance(derived, dict) else {}
        entities, dimensions = (
            [one for _, one in places(derived.get(name), "")] for name in ("entities", "dimensions")
        )
        for _, one in places(model.get("columns"), ""):
            for name, listed in (("entity", entities), ("dimension", dimensions)):
                what = one.get(name)
                if what:
                    more = what if isinstance(what, dict) else {"type": what}
                    listed.append({"name": one.get("name"), "expr": one.get("name")} | more)
        yield (
            place,
            {
                "name": about.get("name") or model.get("name"),
                "node_relation": {"alias": model.get("alias") or model.get("name")},
                "description": model.get("description"),
                "primary_entity": model.get("primary_entity"),
                "entities": entities,
                "dimensions": dimensions,
            },
        )


def _later_metrics(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, model in places(document.get("models"), "models"):
        about = model.get("semantic_model")
        named = about.get("name") if isinstance(about, dict) else None
        for at, metric in places(model.get("metrics"), f"{place}.metrics"):
            yield at, {"stoa_home": named or model.get("name"), **metric}


class _Reader:
    def __init__(self, dialect: str, found: Understood, model: Model) -> None:
        self.dialect, self.found, self.model = dialect, found, model
        self.entities: list[tuple[str, str, str, exp.Expr, str]] = []
        """Dataset, entity, its type, its expression and its place."""
        self.primary: dict[str, str] = {}
        """The entity that the rows of a dataset are, by the dataset."""
        self.measures: dict[str, tuple[str, exp.Expr | None, Mapping[str, Any], str]] = {}
        """By name: the dataset, the expression, what is said, and its place."""
        self.used: set[str] = set()
        """Those that a metric stands for as they are."""
        self.metrics: dict[str, Mapping[str, Any]] = {}

    # Datasets.

    def dataset(self, said: Mapping[str, Any], where: str) -> None:
        """Read one semantic model. Raises FragmentRefused."""
        name = text_of(said.get("name"))
        if name is None:
            raise FragmentRefused("A semantic model has a `name`.")
        made = Dataset(name, _source(said), where, words=self.words(said, where))
        fields = []
        for place, one in places(said.get("dimensions"), f"{where}.dimensions"):
            tree = self.expression(one, place)
            called = text_of(one.get("name"))
            if called is not None and tree is not None:
                fields.append(Field(called, tree, self.words(one, place), place))
        made.fields = by_name(fields, self.found)
        self.model.datasets.append(made)
        unread(said, _OF_MODELS, self.found, where)
        for kind in ("entities", "dimensions", "measures"):
            for place, one in places(said.get(kind), f"{where}.{kind}"):
                unread(one, _OF_PARTS, self.found, place)
        for place, one in places(said.get("entities"), f"{where}.entities"):
            tree, called = self.expression(one, place), text_of(one.get("name"))
            kind = (text_of(one.get("type")) or "").lower()
            if tree is not None and called is not None:
                self.entities.append((name, called, kind, tree, place))
                if kind == "primary":
                    self.primary.setdefault(name, called)
        if (entity := text_of(said.get("primary_entity"))) is not None:
            self.primary.setdefault(name, entity)
        for place, one in places(said.get("measures"), f"{where}.measures"):
            called = text_of(one.get("name"))
            if called is not None and called not in self.measures:
                self.measures[called] = (name, self.expression(one, place), one, place)

    def expression(self, said: Mapping[str, Any], where: str) -> exp.Expr | None:
        """Return what `expr` says, or the column that the thing is called by."""
        text = text_of(said.get("expr"))
        if text is None:
            name = text_of(said.get("name"))
            return column(name) if name is not None else None
        try:
            return fragment(text, self.dialect)
        except FragmentRefused as refused:
            self.found.miss(where, str(refused))
            return None

    def words(self, said: Mapping[str, Any], where: str) -> Words:
        """A label is another name."""
        label, name = text_of(said.get("label")), text_of(said.get("name"))
        other = (label,) if label and name and label.casefold() != name.casefold() and len(label) <= 120 else ()
        return Words(short(said.get("description"), self.found, where), other)

    # Joins.

    def links(self) -> None:
        """Each foreign entity leads to the datasets whose rows it tells apart."""
        keys: dict[str, list[tuple[str, exp.Expr]]] = {}
        for dataset, entity, kind, tree, _ in self.entities:
            if kind in _KEYS:
                keys.setdefault(entity, []).append((dataset, tree))
        for dataset, entity, kind, tree, where in self.entities:
            if kind != "foreign":
                continue
            for other, key in keys.get(entity, ()):
                if not isinstance(tree, exp.Column) or not isinstance(key, exp.Column):
                    self.found.miss(where, "An entity that is worked out is no column, so nothing is joined by it.")
                    continue
                name = f"{dataset} to {other}"
                self.model.links.append(Link(name, dataset, other, (tree.name,), (key.name,), where=where))

    # Measures.

    def metric(self, said: Mapping[str, Any], where: str) -> None:
        """Read one metric."""
        name = text_of(said.get("name"))
        if name is None:
            return
        try:
            home, tree = self.tree(said, _params(said), name, where)
        except FragmentRefused as refused:
            self.found.miss(where, str(refused))
            return
        unread(said, _OF_METRICS, self.found, where)
        self.model.measures.append(Measure(name, tree, home, self.words(said, where), where))

    def tree(
        self, said: Mapping[str, Any], params: Mapping[str, Any], name: str, where: str
    ) -> tuple[str | None, exp.Expr]:
        """The dataset of a metric, where it has one, and its expression. Raises FragmentRefused."""
        kind = (text_of(said.get("type")) or "simple").lower()
        self._unmoved(params)
        self._note(params, where)
        filters = _filters(said.get("filter"))
        if kind == "simple":
            return self._simple(said, params, filters, name, where)
        if filters:
            raise FragmentRefused("A filter over a metric that is made of others is not followed.")
        if kind == "ratio":
            top, bottom = (self._input(params.get(part), part, where) for part in ("numerator", "denominator"))
            return None, ratio(top, bottom)
        if kind == "derived":
            return None, self._derived(params, where)
        raise FragmentRefused(f"Metrics of the type {kind[:50]} are not expressions, and are not taken.")

    def _simple(
        self, said: Mapping[str, Any], params: Mapping[str, Any], filters: Sequence[str], name: str, where: str
    ) -> tuple[str, exp.Expr]:
        home = text_of(said.get("stoa_home"))
        aggregates = params.get("metric_aggregation_params")
        if home is not None or isinstance(aggregates, dict):
            about = aggregates if isinstance(aggregates, dict) else params
            home = home or text_of(about.get("semantic_model"))
            text = text_of(params.get("expr"))
            tree = fragment(text, self.dialect) if text is not None else None
            return home or "", self._aggregate(about, tree, filters, home or "")
        told = params.get("measure")
        called, more = _named(told)
        if isinstance(told, dict):
            self._note(told, where)
        if called not in self.measures:
            raise FragmentRefused(f"The file has no measure {called[:200]!r}.")
        if not filters and not more:
            self.used.add(called)
        return self._measure(called, [*filters, *more])

    def _measure(self, called: str, filters: Sequence[str]) -> tuple[str, exp.Expr]:
        home, tree, said, _ = self.measures[called]
        if tree is None:
            raise FragmentRefused(f"The measure {called[:200]!r} is not taken.")
        return home, self._aggregate(said, tree, filters, home)

    def _aggregate(self, said: Mapping[str, Any], tree: exp.Expr | None, filters: Sequence[str], home: str) -> exp.Expr:
        if said.get("non_additive_dimension"):
            raise FragmentRefused("A measure that is not added up over time is not followed.")
        conditions = [self._condition(one, home) for one in filters]
        return aggregated((text_of(said.get("agg")) or "").lower(), tree, conditions)

    def _condition(self, text: str, home: str) -> exp.Expr:
        """A filter, whose dimensions are of the same rows. Raises FragmentRefused."""
        for entity, _ in _DIMENSION.findall(text):
            if self.primary.get(home) != entity:
                raise FragmentRefused(f"Its filter is about {entity[:100]}, which its own rows are not.")
        plain = _DIMENSION.sub(lambda match: match.group(2), text)
        if _TEMPLATE.search(plain):
            raise FragmentRefused("Its filter holds a template that is not followed.")
        tree = fragment(plain, self.dialect)
        made = tree.copy()
        for one in made.find_all(exp.Column):
            if not one.table:
                one.set("table", exp.to_identifier(home, quoted=True))
        return made

    def _input(self, told: Any, part: str, where: str) -> exp.Expr:
        """A metric that another one is made of, as the name that it is known by. Raises FragmentRefused."""
        name, filters = _named(told)
        if not name:
            raise FragmentRefused(f"It does not name its {part}.")
        if isinstance(told, dict):
            self._unmoved(told)
            self._note(told, where)
        if not filters:
            return column(name)
        home, tree = self._filtered(name, filters, where)
        hidden = f"{where}.{part}"
        self.model.measures.append(Measure(hidden, tree, home, where=where, shown=False))
        return column(hidden)

    def _filtered(self, name: str, filters: Sequence[str], where: str) -> tuple[str, exp.Expr]:
        """A simple metric, or a measure, over fewer rows. Raises FragmentRefused."""
        said = self.metrics.get(name)
        if said is None and name in self.measures:
            return self._measure(name, filters)
        if said is None or (text_of(said.get("type")) or "simple").lower() != "simple":
            raise FragmentRefused(f"A filter over {name[:200]!r}, no simple metric of the file, is not followed.")
        own = _filters(said.get("filter"))
        return self._simple(said, _params(said), [*own, *filters], name, where)

    def _derived(self, params: Mapping[str, Any], where: str) -> exp.Expr:
        text = text_of(params.get("expr"))
        if text is None:
            raise FragmentRefused("A derived metric has an `expr`.")
        tree = fragment(text, self.dialect).copy()
        meant: dict[str, exp.Expr] = {}
        inputs = params.get("metrics") or params.get("input_metrics")
        for at, told in enumerate(inputs if isinstance(inputs, list) else ()):
            name, _ = _named(told)
            alias = text_of(told.get("alias")) if isinstance(told, dict) else None
            meant[(alias or name).casefold()] = self._input(told, f"metrics[{at}]", where)
        for one in list(tree.find_all(exp.Column)):
            found = meant.get(one.name.casefold()) if not one.table else None
            if found is None:
                raise FragmentRefused(f"{one.sql()[:200]} is none of the metrics that it names.")
            if one is tree:
                return found.copy()
            one.replace(found.copy())
        return tree

    def _unmoved(self, params: Mapping[str, Any]) -> None:
        moved = [name for name in _CHANGING if params.get(name)]
        if moved:
            raise FragmentRefused(f"{', '.join(moved)} makes a figure of other moments, which is not followed.")

    def _note(self, params: Mapping[str, Any], where: str) -> None:
        unkept = [name for name in _UNKEPT if params.get(name)]
        if unkept:
            self.found.miss(where, f"{', '.join(unkept)} is not kept: where there are no rows, there is no figure.")

    def rest(self) -> None:
        """The measures that no metric stands for are measures by themselves; the others may be parts of metrics."""
        standing = {one.name.casefold() for one in self.model.measures}
        for name, (home, said_tree, said, where) in self.measures.items():
            if name.casefold() in standing or said_tree is None:  # why there is none was told
                continue
            try:
                _, tree = self._measure(name, ())
            except FragmentRefused as refused:
                self.found.miss(where, str(refused))
                continue
            shown = name not in self.used
            self.model.measures.append(Measure(name, tree, home, self.words(said, where), where, shown))


def _params(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a metric is made of; the later form says it right at the metric."""
    params = said.get("type_params")
    return params if isinstance(params, dict) else said


def _source(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The name of the table, as far as the file says it. Raises FragmentRefused."""
    relation = said.get("node_relation")
    if isinstance(relation, dict):
        parts = tuple(text_of(relation.get(name)) for name in ("database", "schema_name", "alias"))
        if parts[2] is not None:
            return tuple(one for one in parts if one is not None)
    model = text_of(said.get("model")) or ""
    if (reference := _REF.fullmatch(model)) is not None:
        return (reference[1],)
    if (source := _SOURCE.fullmatch(model)) is not None:
        return (source[1], source[2])
    raise FragmentRefused("A semantic model names its table: `model: ref('...')`, or the manifest's node_relation.")


def _named(told: Any) -> tuple[str, list[str]]:
    """The name of an input, and its own filters."""
    if isinstance(told, dict):
        return text_of(told.get("name")) or "", _filters(told.get("filter"))
    return text_of(told) or "", []


def _filters(told: Any) -> list[str]:
    """The conditions of a filter, all of which hold. Raises FragmentRefused."""
    if told is None:
        return []
    listed = told.get("where_filters") if isinstance(told, dict) else told
    found = []
    for one in listed if isinstance(listed, list) else [listed]:
        text = text_of(one.get("where_sql_template") if isinstance(one, dict) else one)
        if text is None:
            raise FragmentRefused("Its filter is no condition.")
        found.append(text)
    return found
