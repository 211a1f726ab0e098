"""Google Cloud Storage: its JSON API with a service account, or its S3-interoperable API with an HMAC key.

A service account signs a statement with its private key and trades it for a token that may only read storage:
https://developers.google.com/identity/protocols/oauth2/service-account#httprest
"""

from __future__ import annotations

import json
import re
import time
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from persistence.connectors.core.base import ConnectorError, ConnectorSettings, Outbound
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.objects import BucketStore, HttpAnswer, PinnedHttp, redirected
from persistence.connectors.files.s3 import S3Bucket, access_key
from persistence.connectors.files.store import FileStore
from schema.assets.connection_configs.files import GcsCredentials, StorageConfig

VERIFIED = "a stub of ours of its JSON API and token exchange, and moto for HMAC keys; not against Google's service"

_ORIGIN = "https://storage.googleapis.com"
_TOKEN_ADDRESS = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
_SCOPE = "https://www.googleapis.com/auth/devstorage.read_only"


class GcsConnector(FileTables[StorageConfig, GcsCredentials]):
    """Files of a Google Cloud Storage bucket as tables."""

    kind = "gcs"
    config_section = "storage_config"
    config_model = StorageConfig
    credentials_model = GcsCredentials

    def open_store(self) -> FileStore:
        """Read the key file, and check the addresses."""
        config = self.config
        account = None
        if self._credentials.service_account is not None:
            account = ServiceAccount(self._credentials, self.settings, self.outbound)
        http = PinnedHttp(config.endpoint_url or _ORIGIN, self.settings, self.outbound)
        key = access_key(self._credentials)
        if key is not None:
            return S3Bucket(http, config.bucket, config.prefix, config.region or "auto", key, path_style=True)
        return GcsBucket(http, config.bucket, config.prefix, account)


class ServiceAccount:
    """Gets tokens for a service account, and keeps one until shortly before it ends."""

    def __init__(self, credentials: GcsCredentials, settings: ConnectorSettings, outbound: Outbound) -> None:
        held = _key_file(credentials)
        self._email, self._key = str(held["client_email"]), str(held["private_key"])
        self._key_id = held.get("private_key_id")
        self._address = str(held.get("token_uri") or _TOKEN_ADDRESS)
        parts = urlsplit(self._address)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise ConnectorError("bad_config", "The service account's token_uri is not an http(s) address.")
        # The statement is a credential, so it never travels in the clear to another machine.
        if parts.scheme == "http" and parts.hostname not in {"localhost", "127.0.0.1", "::1"}:
            raise ConnectorError("bad_config", "The service account's token_uri must begin with https://.")
        self._path = parts.path or "/"
        self._http = PinnedHttp(f"{parts.scheme}://{parts.netloc}", settings, outbound)
        self._token = ""
        self._until = 0.0

    def token(self) -> str:
        """A token that is good for at least another minute. Raises ConnectorError("authentication")."""
        if time.monotonic() < self._until:
            return self._token
        answer = self._http.send(
            "POST",
            self._path,
            {"Content-Type": "application/x-www-form-urlencoded"},
            content=urlencode(
                {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": self._statement()}
            ).encode(),
            at_most=64 << 10,
        )
        held = _object(answer.body)
        if answer.status != 200:
            if answer.status in {400, 401, 403}:
                raise ConnectorError(
                    "authentication",
                    "Google refuses the service account. Check that its key is not deleted or disabled, and that this "
                    "machine's clock is right.",
                )
            raise ConnectorError("failed", f"The token service answered with the status {answer.status}.")
        token, seconds = held.get("access_token"), held.get("expires_in")
        if not isinstance(token, str) or not re.fullmatch(r"[!-~]{1,8192}", token):
            raise ConnectorError("failed", "The token service did not answer with a token.")
        self._token = token
        self._until = time.monotonic() + (max(0, int(seconds) - 60) if isinstance(seconds, int | float) else 0)
        return token

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _statement(self) -> str:
        import jwt

        now = int(time.time())
        claims = {"iss": self._email, "scope": _SCOPE, "aud": self._address, "iat": now, "exp": now + 3600}
        headers = {"kid": str(self._key_id)} if self._key_id else None
        try:
            return jwt.encode(claims, self._key, algorithm="RS256", headers=headers)
        except Exception:
            failure = ConnectorError("authentication", "The service account's private_key is not a usable RSA key.")
        # Outside the handler, so that no chained traceback holds the key.
        raise failure


class GcsBucket(BucketStore):
    """A bucket behind Google's JSON API."""

    def __init__(self, http: PinnedHttp, bucket: str, prefix: str | None, account: ServiceAccount | None) -> None:
        super().__init__(bucket, prefix)
        self._http = http
        self._account = account
        self._base = f"/storage/v1/b/{quote(bucket, safe='')}/o"

    def page(self, prefix: str, after: str | None) -> tuple[list[tuple[str, int, str]], str | None]:
        """One page of objects.list."""
        query = {"maxResults": "1000", "fields": "nextPageToken,items(name,size,etag)"}
        if prefix:
            query["prefix"] = prefix
        if after:
            query["pageToken"] = after
        answer = self._get(f"{self._base}?{urlencode(query, quote_via=quote)}", {})
        if answer.status != 200:
            raise self._refused(answer)
        held = _object(answer.body)
        if not held and answer.body.strip() != b"{}":
            raise ConnectorError("failed", "The endpoint did not answer as Google Cloud Storage does. Check it.")
        items, following = held.get("items", []), held.get("nextPageToken")
        keys = [
            (item["name"], int(item["size"]), item["etag"] if isinstance(item.get("etag"), str) else "")
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, dict) and isinstance(item.get("name"), str) and str(item.get("size", "")).isdigit()
        ]
        return keys, following if isinstance(following, str) and following else None

    def stretch(self, key: str, offset: int, length: int) -> bytes:
        """The media of an object, with a range."""
        answer = self._get(
            f"{self._base}/{quote(key, safe='')}?alt=media",
            # A packed object must come as it is stored, or ranges and sizes would not be those of its bytes.
            {"Range": f"bytes={offset}-{offset + length - 1}", "Accept-Encoding": "gzip"},
            at_most=max(length, 64 << 10),
        )
        if answer.status == 416:
            return b""
        if answer.status not in {200, 206}:
            raise self._refused(answer)
        return self.part(answer, offset, length)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()
        if self._account is not None:
            self._account.close()

    def _get(self, target: str, headers: dict[str, str], at_most: int = 16 << 20) -> HttpAnswer:
        if self._account is not None:
            headers = headers | {"Authorization": f"Bearer {self._account.token()}"}
        return self._http.send("GET", target, headers, at_most=at_most)

    def _refused(self, answer: HttpAnswer) -> ConnectorError:
        """The sentence for an answer that is not good. Google's own message stays out: it quotes names of accounts."""
        if answer.status in {301, 302, 303, 307, 308}:
            return redirected(answer, "The endpoint")
        if self._account is None and answer.status in {401, 403}:
            return ConnectorError("authentication", "The bucket is not public. Enter a service_account.")
        if answer.status == 401:
            return ConnectorError("authentication", "Google refuses the credentials. Check the service account.")
        if answer.status == 403:
            return ConnectorError(
                "permission", "The service account may not read the bucket. Grant it Storage Object Viewer."
            )
        if answer.status == 404:
            return ConnectorError("not_found", "The bucket or object does not exist. Check its name.")
        return ConnectorError("failed", f"The store answered with the status {answer.status}.")


def _object(body: bytes) -> dict[str, Any]:
    try:
        held = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _key_file(credentials: GcsCredentials) -> dict[str, Any]:
    given = credentials.service_account
    held = given if isinstance(given, dict) else _object(given.get_secret_value().encode() if given else b"")
    if held.get("type", "service_account") != "service_account":
        raise ConnectorError("bad_config", "The key file is not one of a service account. Create a key for one.")
    for name in ("client_email", "private_key"):
        if not isinstance(held.get(name), str) or not held[name]:
            raise ConnectorError("bad_config", f"The service account's key file holds no {name}. Enter the whole file.")
    return held
