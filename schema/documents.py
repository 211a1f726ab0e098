"""Documents that a client names by their hash instead of sending them.

Automatic persisted queries (Apollo's protocol): `extensions.persistedQuery.sha256Hash` with the query registers it,
and without the query stands for it. Trusted documents: a file of hash and document, made when a client is built;
`graphql_trusted_only` refuses everything else. `documentId` beside the query names a document just as well: it
is how GraphQL over HTTP and the client preset of graphql-codegen spell it.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from schema.errors import ApiError, InvalidParameter, ValidationError

_HASH: Final = re.compile(r"^[0-9a-f]{64}$")


class PersistedQueryNotFound(ApiError):
    """No query is known by this hash; Apollo's clients send it again with the query then."""

    code, default_status = "PERSISTED_QUERY_NOT_FOUND", 400

    def __init__(self) -> None:
        super().__init__("PersistedQueryNotFound")


class DocumentNotTrusted(ApiError):
    """This deployment takes only the documents that it was given."""

    code, default_status = "FORBIDDEN", 403


class Documents:
    """The documents that are known by their hash."""

    def __init__(self, trusted: Path | None = None, *, trusted_only: bool = False, cache_size: int = 1000) -> None:
        self._trusted = {} if trusted is None else read_trusted(trusted)
        self._trusted_texts = set(self._trusted.values())
        self._only, self._size = trusted_only, cache_size
        self._known: OrderedDict[str, str] = OrderedDict()

    def text(self, query: Any, extensions: Any, document_id: Any = None) -> Any:
        """The query that a request means. Raises PersistedQueryNotFound, InvalidParameter or DocumentNotTrusted."""
        named = extensions.get("persistedQuery") if isinstance(extensions, Mapping) else None
        if document_id is None and named is None:
            return self._allowed(query)
        hash_ = document_id if named is None else self._hash(named)
        if not isinstance(hash_, str):
            raise InvalidParameter("A document is named by its hash, as text.", field="documentId")
        hash_ = hash_.removeprefix("sha256:")
        if hash_ in self._trusted:
            return self._trusted[hash_]
        if query is None or query == "":
            return self._remembered(hash_)
        if not isinstance(query, str) or hashlib.sha256(query.encode()).hexdigest() != hash_:
            field = "documentId" if named is None else "extensions.persistedQuery.sha256Hash"
            raise ValidationError("provided sha does not match query", field=field)
        self._allowed(query)
        self._known[hash_] = query
        self._known.move_to_end(hash_)
        while len(self._known) > self._size:
            self._known.popitem(last=False)
        return query

    def _allowed(self, query: Any) -> Any:
        if self._only and query not in self._trusted_texts:
            raise DocumentNotTrusted(
                "This deployment takes trusted documents only. Send the hash of one of them.", field="query"
            )
        return query

    def _remembered(self, hash_: str) -> str:
        found = self._known.get(hash_)
        if found is None:
            if self._only:
                raise DocumentNotTrusted("No trusted document has this hash.", field="documentId")
            raise PersistedQueryNotFound
        self._known.move_to_end(hash_)
        return found

    def _hash(self, named: Any) -> str:
        hash_ = named.get("sha256Hash") if isinstance(named, Mapping) and named.get("version") == 1 else None
        if not isinstance(hash_, str) or not _HASH.match(hash_):
            raise InvalidParameter(
                "extensions.persistedQuery takes version 1 and a sha256Hash of 64 hexadecimal digits.",
                field="extensions.persistedQuery",
            )
        return hash_


def read_trusted(path: Path) -> dict[str, str]:
    """The documents of a file `{hash: document}`, as graphql-codegen's client preset writes it. Raises ValueError."""
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ValueError(f"STOA_GRAPHQL_TRUSTED_DOCUMENTS: {path} cannot be read: {error}.") from None
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise ValueError(f"STOA_GRAPHQL_TRUSTED_DOCUMENTS: {path} must be one JSON object of hash and document.")
    return {hash_.removeprefix("sha256:"): text for hash_, text in found.items()}
