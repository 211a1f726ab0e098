"""Declares the rules of the grammar: a pattern of categories, the category that it makes, and the action that builds
its piece.

A pattern is categories in their order. `?` before one marks it optional, `|` parts alternatives. Categories in small
letters are words that only tie others; the pieces of the rest are handed to the action. An action yields each way to
build its piece, with the features that it adds, or nothing where types do not fit.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.chart.binding import Ground

Features = Mapping[str, float]
Built = Iterator[tuple[Any, Features]]
Action = Callable[..., Built]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, with every option taken one way or the other."""

    makes: str
    pattern: tuple[str, ...]
    action: Action
    features: Features = field(default_factory=dict)

    def built(self, ground: "Ground", pieces: tuple[Any, ...]) -> Built:
        """The pieces that the constituents make together."""
        return self.action(ground, *pieces)


@dataclass(slots=True)
class Node:
    """A node of the tree of all patterns: what may follow their common beginning, and the rules that end here."""

    children: dict[str, "Node"] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)


class RuleSet:
    """Rules that are declared together."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def rule(self, makes: str, *patterns: str, **features: float) -> Callable[[Action], Action]:
        """Declare an action with the patterns that lead to it, and what each use of it adds to the features."""

        def declare(action: Action) -> Action:
            for pattern in patterns:
                self.rules += [Rule(makes, one, action, {"rules": 1.0, **features}) for one in expanded(pattern)]
            return action

        return declare


class Grammar:
    """Several sets of rules as one tree of their patterns."""

    def __init__(self, *sets: RuleSet) -> None:
        self.rules = [rule for one in sets for rule in one.rules]
        self.root = Node()
        for rule in self.rules:
            node = self.root
            for category in rule.pattern:
                node = node.children.setdefault(category, Node())
            node.rules.append(rule)


def expanded(pattern: str) -> Iterator[tuple[str, ...]]:
    """Every sequence of categories that a pattern stands for.

    Raises:
        ValueError: The pattern may stand for nothing at all.
    """
    choices: list[list[str]] = []
    for part in pattern.split():
        options = part.removeprefix("?").split("|")
        choices.append(["", *options] if part.startswith("?") else options)
    for chosen in product(*choices):
        found = tuple(one for one in chosen if one)
        if not found:
            raise ValueError(f"The pattern {pattern!r} may stand for nothing.")
        yield found


def is_named(category: str) -> bool:
    """Whether the pieces of a category are handed to actions."""
    return category[:1].isupper()
