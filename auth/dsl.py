"""Reads OpenFGA's modelling language, schema 1.1, into the JSON form that OpenFGA servers and SDKs exchange.

    >>> parse("model\\n  schema 1.1\\ntype user\\n")["type_definitions"]
    [{'type': 'user'}]

The grammar, in short::

    model      = "model" "schema 1.1" { type | condition }
    type       = "type" NAME [ "relations" { "define" NAME ":" expression } ]
    expression = operand { "or" operand } | operand { "and" operand } | operand "but not" operand
    operand    = "[" restriction { "," restriction } "]" | NAME [ "from" NAME ] | "(" expression ")"
    restriction = TYPE [ ":*" | "#" RELATION ] [ "with" CONDITION ]
    condition  = "condition" NAME "(" NAME ":" TYPE { "," ... } ")" "{" CEL "}"

Operators are never mixed without parentheses, as in the reference implementation. A comment runs from `#` at the
start of a line or after a space to the end of the line. Source of the language: the OpenFGA configuration language
documentation; of the JSON: the `AuthorizationModel` message of its API.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

_NAME = re.compile(r"[^:#@*\s,()\[\]{}<>&|!]+")
_TOKEN = re.compile(r"\s*(?:(?P<punctuation>[\[\](),]|:\*|#)|(?P<word>[^:#@*\s,()\[\]{}<>&|!]+))")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_CONDITION = re.compile(r"condition\s+(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)\s*\{", re.DOTALL)
_PARAMETER = re.compile(r"(?P<name>\w+)\s*:\s*(?P<type>\w+)(?:\s*<\s*(?P<of>\w+)\s*>)?")
_PARAMETER_TYPES = {"bool", "string", "int", "uint", "double", "duration", "timestamp", "ipaddress", "any"}
_GENERIC_TYPES = {"list", "map"}
_RESERVED = {"from", "or", "and", "but", "not", "with"}


class ModelSyntaxError(ValueError):
    """The model text cannot be read; the message and `line` (1-based, or None) say where."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"Line {line}: {message}")
        self.line = line


def model_version(document: dict[str, Any]) -> str:
    """Name a model by its content: the first 12 hexadecimal digits of the SHA-256 of its canonical JSON."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def parse(text: str) -> dict[str, Any]:
    """Turn a model's text into its JSON document. Raises ModelError with the line of the first mistake.

    The answer has `schema_version`, `type_definitions` (with `relations` and `metadata` where a type has relations)
    and `conditions` where there are any. References between types and relations are checked by `auth.model.Model`.
    """
    return _Reader(text).document()


@dataclass(slots=True)
class _Definition:
    name: str
    line: int
    body: str


class _Reader:
    """Splits the text into statements, line by line."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._types: list[dict[str, Any]] = []
        self._conditions: dict[str, Any] = {}
        self._pending: _Definition | None = None
        self._relations_open = False

    def document(self) -> dict[str, Any]:
        self._header()
        while self._at < len(self._lines):
            self._statement()
        self._finish_definition()
        document: dict[str, Any] = {"schema_version": "1.1", "type_definitions": self._types}
        if self._conditions:
            document["conditions"] = self._conditions
        return document

    def _header(self) -> None:
        words: list[tuple[str, int]] = []
        for number, line in enumerate(self._lines):
            words += [(word, number + 1) for word in _COMMENT.sub("", line).split()]
            self._at = number + 1
            if len(words) >= 3:
                break
        said = [word for word, _ in words]
        if said[:2] != ["model", "schema"]:
            raise ModelSyntaxError('A model starts with "model" and "schema 1.1".', words[0][1] if words else 1)
        if said[2:] != ["1.1"]:
            raise ModelSyntaxError('Only "schema 1.1" can be read.', words[-1][1])

    def _statement(self) -> None:
        number = self._at + 1
        line = _COMMENT.sub("", self._lines[self._at]).strip()
        if not line:
            self._at += 1
            return
        first = re.split(r"[\s(]", line, maxsplit=1)[0]
        if first == "condition":
            self._finish_definition()
            self._condition(number)
            return
        self._at += 1
        if first == "type":
            self._finish_definition()
            self._type(line, number)
        elif line == "relations":
            self._finish_definition()
            if not self._types or self._relations_open:
                raise ModelSyntaxError('"relations" belongs once under a type.', number)
            self._relations_open = True
        elif first == "define":
            self._finish_definition()
            name, colon, body = line.removeprefix("define").partition(":")
            if not self._relations_open:
                raise ModelSyntaxError('"define" belongs under the "relations" of a type.', number)
            if not colon or not _NAME.fullmatch(name.strip()):
                raise ModelSyntaxError('A relation is written "define name: ...".', number)
            self._pending = _Definition(name.strip(), number, body)
        elif self._pending is not None:
            self._pending.body += "\n" + line
        else:
            raise ModelSyntaxError(f'"{first}" is not expected here.', number)

    def _type(self, line: str, number: int) -> None:
        words = line.split()
        if len(words) != 2 or not _NAME.fullmatch(words[1]):
            raise ModelSyntaxError('A type is written "type name".', number)
        if any(known["type"] == words[1] for known in self._types):
            raise ModelSyntaxError(f"Type {words[1]} is defined twice.", number)
        self._types.append({"type": words[1]})
        self._relations_open = False

    def _finish_definition(self) -> None:
        pending, self._pending = self._pending, None
        if pending is None:
            return
        definition = self._types[-1]
        relations = definition.setdefault("relations", {})
        if pending.name in relations:
            raise ModelSyntaxError(f"Relation {pending.name} of {definition['type']} is defined twice.", pending.line)
        expression = _Expression(pending.body, pending.line)
        relations[pending.name] = expression.read()
        metadata = definition.setdefault("metadata", {"relations": {}})
        metadata["relations"][pending.name] = (
            {"directly_related_user_types": expression.restrictions} if expression.restrictions else {}
        )

    def _condition(self, number: int) -> None:
        rest = "\n".join(self._lines[self._at :]).lstrip()
        head = _CONDITION.match(rest)
        if head is None:
            raise ModelSyntaxError('A condition is written "condition name(parameter: type) { expression }".', number)
        name = head["name"]
        if name in self._conditions:
            raise ModelSyntaxError(f"Condition {name} is defined twice.", number)
        end = _closing_brace(rest, head.end(), number)
        self._conditions[name] = {
            "name": name,
            "expression": rest[head.end() : end].strip(),
            "parameters": _parameters(head["parameters"], number),
        }
        after = rest[end + 1 :]
        if _COMMENT.sub("", after.partition("\n")[0]).strip():
            raise ModelSyntaxError("Nothing may follow the closing brace of a condition on its line.", number)
        self._at = len(self._lines) - (after.count("\n") if "\n" in after else 0)


def _closing_brace(text: str, start: int, number: int) -> int:
    """The position of the brace that closes a condition, skipping nested braces and quoted strings."""
    depth, quote, position = 1, "", start
    while position < len(text):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return position
        position += 1
    raise ModelSyntaxError("The condition is never closed; a } is missing.", number)


def _parameters(text: str, number: int) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        found = _PARAMETER.fullmatch(part)
        if found is None:
            raise ModelSyntaxError(f'Parameter "{part}" is not written "name: type".', number)
        kind, of = found["type"], found["of"]
        if not ((kind in _GENERIC_TYPES and of in _PARAMETER_TYPES) or (kind in _PARAMETER_TYPES and of is None)):
            raise ModelSyntaxError(f'"{part}" has a type that conditions do not know.', number)
        parameter: dict[str, Any] = {"type_name": f"TYPE_NAME_{kind.upper()}"}
        if of is not None:
            parameter["generic_types"] = [{"type_name": f"TYPE_NAME_{of.upper()}"}]
        parameters[found["name"]] = parameter
    if not parameters:
        raise ModelSyntaxError("A condition needs at least one parameter.", number)
    return parameters


class _Expression:
    """One relation's right-hand side, by recursive descent over its tokens."""

    def __init__(self, body: str, line: int) -> None:
        self._line = line
        self.restrictions: list[dict[str, Any]] = []
        self._tokens: list[tuple[str, int]] = []
        self._next = 0
        position = 0
        while body[position:].strip():
            found = _TOKEN.match(body, position)
            if found is None:
                wrong = body[position:].strip()[0]
                raise ModelSyntaxError(
                    f'"{wrong}" is not expected in a relation.', line + body.count("\n", 0, position)
                )
            text = found["punctuation"] or found["word"]
            start = found.end() - len(text)
            self._tokens.append((text, line + body.count("\n", 0, start)))
            position = found.end()

    def read(self) -> dict[str, Any]:
        rewrite = self._expression()
        if self._next < len(self._tokens):
            raise self._wrong('Put parentheses around a mix of "or", "and" and "but not"; unexpected')
        return rewrite

    def _expression(self) -> dict[str, Any]:
        operands = [self._operand()]
        operator = self._peek()
        if operator == "but":
            self._take("but")
            self._take("not")
            return {"difference": {"base": operands[0], "subtract": self._operand()}}
        if operator not in ("or", "and"):
            return operands[0]
        while self._peek() == operator:
            self._take(operator)
            operands.append(self._operand())
        return {"union" if operator == "or" else "intersection": {"child": operands}}

    def _operand(self) -> dict[str, Any]:
        start = self._peek()
        if start == "(":
            self._take("(")
            inner = self._expression()
            self._take(")")
            return inner
        if start == "[":
            if self.restrictions:
                raise self._wrong("A relation lists its direct types once; unexpected")
            self._direct()
            return {"this": {}}
        name = self._name("a relation")
        if self._peek() != "from":
            return {"computedUserset": {"relation": name}}
        self._take("from")
        tupleset = self._name('a relation after "from"')
        return {"tupleToUserset": {"tupleset": {"relation": tupleset}, "computedUserset": {"relation": name}}}

    def _direct(self) -> None:
        self._take("[")
        while True:
            restriction: dict[str, Any] = {"type": self._name("a type")}
            if self._peek() == ":*":
                self._take(":*")
                restriction["wildcard"] = {}
            elif self._peek() == "#":
                self._take("#")
                restriction["relation"] = self._name('a relation after "#"')
            if self._peek() == "with":
                self._take("with")
                restriction["condition"] = self._name('a condition after "with"')
            self.restrictions.append(restriction)
            if self._peek() != ",":
                break
            self._take(",")
        self._take("]")

    def _peek(self) -> str | None:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else None

    def _take(self, token: str) -> None:
        if self._peek() != token:
            raise self._wrong(f'"{token}" is missing; found')
        self._next += 1

    def _name(self, what: str) -> str:
        token = self._peek()
        if token is None or token in _RESERVED or not _NAME.fullmatch(token):
            raise self._wrong(f"Expected {what}, found")
        self._next += 1
        return token

    def _wrong(self, sentence: str) -> ModelSyntaxError:
        if self._next < len(self._tokens):
            token, line = self._tokens[self._next]
            return ModelSyntaxError(f'{sentence} "{token}".', line)
        return ModelSyntaxError(
            f"{sentence} the end of the relation.", self._tokens[-1][1] if self._tokens else self._line
        )
