"""Amazon S3 and stores that speak its protocol: ListObjectsV2 and ranged GetObject, signed with version 4.

Signature: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import quote, unquote
from xml.etree import ElementTree

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.objects import BucketStore, HttpAnswer, PinnedHttp, redirected
from persistence.connectors.files.store import FileStore
from schema.assets.connection_configs.files import S3Credentials, StorageConfig

VERIFIED = "moto's S3 server with its signature and permission checks on; signatures equal botocore's"

_NOTHING = hashlib.sha256(b"").hexdigest()

_ANSWERS = {
    "InvalidAccessKeyId": ("authentication", "The store does not know the access key id. Check it."),
    "SignatureDoesNotMatch": ("authentication", "The secret access key does not belong to the access key id."),
    "ExpiredToken": ("authentication", "The session token has expired. Enter fresh credentials."),
    "TokenRefreshRequired": ("authentication", "The session token has expired. Enter fresh credentials."),
    "InvalidToken": ("authentication", "The session token is not valid. Check it, or leave it out."),
    "RequestTimeTooSkewed": ("failed", "The store refuses the time of this machine. Correct its clock."),
    "NoSuchBucket": ("not_found", "The bucket does not exist. Check its name and the region or endpoint."),
    "NoSuchKey": ("not_found", "The object does not exist."),
    "InvalidBucketName": ("bad_config", "The store does not accept the bucket's name. Check its spelling."),
    "InvalidObjectState": ("permission", "The object is archived and must be restored before it can be read."),
    "SlowDown": ("failed", "The store asks to slow down. Try again later."),
}


class S3Connector(FileTables[StorageConfig, S3Credentials]):
    """Files of an S3 bucket as tables."""

    kind = "s3"
    config_section = "storage_config"
    config_model = StorageConfig
    credentials_model = S3Credentials

    def open_store(self) -> FileStore:
        """Look up the endpoint and check its address."""
        config = self.config
        region = config.region or "us-east-1"
        origin = config.endpoint_url
        path_style = True
        if origin is None:
            domain = f"s3.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
            # A certificate covers one name below the region's domain, so a dotted bucket goes into the path.
            path_style = "." in config.bucket
            origin = f"https://{domain}" if path_style else f"https://{config.bucket}.{domain}"
        http = PinnedHttp(origin, self.settings, self.outbound)
        return S3Bucket(http, config.bucket, config.prefix, region, access_key(self._credentials), path_style)


def access_key(credentials: S3Credentials) -> tuple[str, str, str | None] | None:
    """Access key id, secret access key and session token, or None to read anonymously."""
    if credentials.access_key_id is None or credentials.secret_access_key is None:
        return None
    token = credentials.session_token
    return (
        credentials.access_key_id.get_secret_value(),
        credentials.secret_access_key.get_secret_value(),
        None if token is None else token.get_secret_value(),
    )


class S3Bucket(BucketStore):
    """A bucket behind S3's protocol."""

    def __init__(
        self,
        http: PinnedHttp,
        bucket: str,
        prefix: str | None,
        region: str,
        key: tuple[str, str, str | None] | None,
        path_style: bool,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(bucket, prefix)
        self._http = http
        self._region = region
        self._key = key
        self._base = f"/{_encoded(bucket)}" if path_style else ""
        self._clock = clock

    def page(self, prefix: str, after: str | None) -> tuple[list[tuple[str, int, str]], str | None]:
        """One page of ListObjectsV2."""
        query = {"list-type": "2", "max-keys": "1000", "encoding-type": "url"}
        if prefix:
            query["prefix"] = prefix
        if after:
            query["continuation-token"] = after
        answer = self._get(self._base or "/", query, {})
        if answer.status != 200:
            raise self._refused(answer)
        root = _xml(answer.body)
        if root is None or root.tag != "ListBucketResult":
            raise ConnectorError(
                "failed", "The endpoint did not answer as an S3 store does. Check endpoint_url and its port."
            )
        # Keys may hold what XML cannot, so they are asked for in an encoded form; not every store knows that.
        encoded = root.findtext("EncodingType") == "url"
        keys = []
        for entry in root.iter("Contents"):
            size, key = entry.findtext("Size") or "", entry.findtext("Key") or ""
            if size.isdigit():
                name = unquote(key.replace("+", " ")) if encoded else key
                keys.append((name, int(size), entry.findtext("ETag") or ""))
        following = root.findtext("NextContinuationToken") if root.findtext("IsTruncated") == "true" else None
        return keys, following or None

    def stretch(self, key: str, offset: int, length: int) -> bytes:
        """GetObject with a range."""
        path = f"{self._base}/{'/'.join(_encoded(part) for part in key.split('/'))}"
        answer = self._get(path, {}, {"Range": f"bytes={offset}-{offset + length - 1}"}, at_most=length)
        if answer.status == 416:
            return b""
        if answer.status not in {200, 206}:
            raise self._refused(answer)
        return self.part(answer, offset, length)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _get(self, path: str, query: dict[str, str], headers: dict[str, str], *, at_most: int = 16 << 20) -> HttpAnswer:
        search = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in sorted(query.items()))
        if self._key is not None:
            headers = headers | signature(
                self._key, self._region, self._http.host, path, search, self._clock().astimezone(UTC)
            )
        # An error's document is longer than a short stretch.
        return self._http.send("GET", f"{path}?{search}" if search else path, headers, at_most=max(at_most, 64 << 10))

    def _refused(self, answer: HttpAnswer) -> ConnectorError:
        """The sentence for an answer that is not good. The store's own message may quote the key, so it stays out."""
        document = _xml(answer.body)
        code = (document.findtext("Code") if document is not None else None) or ""
        region = answer.headers.get("x-amz-bucket-region") or (
            document.findtext("Region") if document is not None else None
        )
        if region and re.fullmatch(r"[a-z0-9-]{1,32}", region) and region != self._region:
            return ConnectorError("bad_config", f"The bucket is in the region {region!r}. Set region to it.")
        if code in _ANSWERS:
            return ConnectorError(*_ANSWERS[code])
        if answer.status in {301, 302, 303, 307, 308}:
            return redirected(answer, "The endpoint")
        if answer.status == 401:
            return ConnectorError("authentication", "The store refuses the credentials. Check them.")
        if answer.status == 403 and self._key is None:
            return ConnectorError(
                "authentication", "The bucket is not public. Enter access_key_id and secret_access_key."
            )
        if answer.status == 403:
            return ConnectorError(
                "permission",
                "The access key may not do this. It needs s3:ListBucket on the bucket and s3:GetObject on its objects.",
            )
        if answer.status == 404:
            return ConnectorError("not_found", "The bucket or object does not exist. Check the name and the endpoint.")
        known = f" {code}" if re.fullmatch(r"[A-Za-z]{1,64}", code) else ""
        return ConnectorError("failed", f"The store answered with the status {answer.status}{known}.")


def signature(
    key: tuple[str, str, str | None], region: str, host: str, path: str, search: str, moment: datetime
) -> dict[str, str]:
    """The headers that sign a GET without a body. `path` and `search` are already encoded, `search` also sorted."""
    key_id, secret, token = key
    stamp = moment.strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": host, "x-amz-content-sha256": _NOTHING, "x-amz-date": stamp}
    if token is not None:
        headers["x-amz-security-token"] = token
    signed = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join(("GET", path, search, lines, signed, _NOTHING))
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()))
    derived = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        derived = hmac.digest(derived, part.encode(), "sha256")
    proof = hmac.new(derived, text.encode(), hashlib.sha256).hexdigest()
    del headers["host"]
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={signed}, Signature={proof}"
    )
    return headers


def _encoded(text: str) -> str:
    return quote(text, safe="-_.~")


def _xml(body: bytes) -> ElementTree.Element | None:
    """An answer's document without namespaces, or None. A document that declares entities is refused unread."""
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        return None
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - it cannot hold entities
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root
