"""Buckets: S3's protocol against moto with its checks on, Google's against a stub, and HTTP that stays in place."""

import gzip
import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.s3 import signature
from persistence.connectors.files.store import FileLimits
from tests.persistence.connectors.test_files import put_parquet
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub, self_signed
from tests.support.moto import MotoServer
from tests.support.sources import SECRET, Loopback, columns, everything, failure, opened

ODD = "odd folder/é+&=?#%41 (1)!*'~.csv"


def key_of(server: MotoServer) -> dict[str, str]:
    """The administrator's key."""
    return {"access_key_id": server.access_key_id, "secret_access_key": server.secret_access_key}


def place_of(server: MotoServer, bucket: str, **more: str) -> dict[str, str]:
    """The config of a bucket, by a name that the policy resolves."""
    return {"bucket": bucket, "endpoint_url": server.endpoint_url.replace("127.0.0.1", "localhost"), **more}


@pytest.fixture
def parquet(tmp_path: Path) -> bytes:
    """A Parquet file of about a megabyte."""
    query = "select range id, md5(range::varchar) || md5((range + 1)::varchar) word from range(20000)"
    return put_parquet(tmp_path, "made.parquet", query).read_bytes()


@pytest.mark.parametrize("kind", ["s3", "minio", "gcs"])
def test_a_bucket_is_read_with_a_signature_that_the_server_checks(
    kind: str, moto_server: MotoServer, parquet: bytes
) -> None:
    bucket = moto_server.bucket(
        {
            "people.csv": b"id,name\n1,Ann\n",
            ODD: b"a\n1\n",
            "lake/t/day=2024-01-01/x.parquet": parquet,
            "lake/t/day=2024-01-02/x.parquet": parquet,
            "logs.ndjson.gz": gzip.compress(b'{"at": "2024-01-01"}\n'),
            "empty/": b"",
            "odd//double.csv": b"a\n1\n",
            "notes.txt": b"x",
        }
    )
    policy = Loopback()
    with opened(kind, place_of(moto_server, bucket), key_of(moto_server), policy=policy) as connector:
        discovery = connector.verify()
        found = everything(connector)
    assert policy.asked == [("localhost", int(moto_server.endpoint_url.rpartition(":")[2]))]
    assert discovery.message == f"Connected to {bucket!r}: 4 tables in 5 files."
    assert (discovery.details["ignored_files"], discovery.details["refused_entries"]) == (1, 1)
    assert columns(found["root"]["people"]) == {"id": "BIGINT", "name": "VARCHAR"}
    assert columns(found["root"]["logs"]) == {"at": "DATE"}
    assert columns(found["lake"]["t"]) == {"id": "BIGINT", "word": "VARCHAR", "day": "DATE"}
    assert found["lake"]["t"].row_count == 40_000
    assert columns(found["odd folder"][ODD.partition("/")[2].removesuffix(".csv")]) == {"a": "BIGINT"}


def test_a_prefix_is_the_root(moto_server: MotoServer) -> None:
    bucket = moto_server.bucket(
        {"in/side/a.csv": b"a\n1\n", "in/side/deep/b.csv": b"b\n1\n", "in/sideways.csv": b"c\n1\n"}
    )
    with opened("s3", place_of(moto_server, bucket, prefix="/in/side/"), key_of(moto_server)) as connector:
        found = everything(connector)
    assert {schema: set(tables) for schema, tables in found.items()} == {"root": {"a"}, "deep": {"b"}}


@pytest.mark.long  # puts a thousand objects in a bucket
def test_long_listings_are_paged_and_cut(moto_server: MotoServer, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = moto_server.bucket({f"f{number:04}.csv": b"a\n1\n" for number in range(1101)})
    with opened("s3", place_of(moto_server, bucket), key_of(moto_server)) as connector:
        assert connector.verify().details["tables"] == 1101
    monkeypatch.setattr(FileTables, "limits", FileLimits(max_files=1050))
    with opened("s3", place_of(moto_server, bucket), key_of(moto_server)) as connector:
        details = connector.verify().details
    assert (details["tables"], details["truncated"]) == (1050, True)


def test_only_the_footer_of_a_parquet_object_travels(
    moto_server: MotoServer, parquet: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from persistence.connectors.files.objects import PinnedHttp

    travelled: list[int] = []
    send = PinnedHttp.send

    def counted(self: PinnedHttp, *given: Any, **named: Any) -> Any:
        answer = send(self, *given, **named)
        travelled.append(len(answer.body))
        return answer

    monkeypatch.setattr(PinnedHttp, "send", counted)
    bucket = moto_server.bucket({"t.parquet": parquet})
    with opened("s3", place_of(moto_server, bucket), key_of(moto_server)) as connector:
        assert everything(connector)["root"]["t"].row_count == 20_000
    assert len(parquet) > 500_000
    assert sum(travelled) < 80_000


def test_each_refusal_of_a_store_has_its_own_sentence(
    moto_server: MotoServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bucket = moto_server.bucket({"a.csv": b"a\n1\n"})
    key = key_of(moto_server)
    weak = dict(zip(("access_key_id", "secret_access_key"), moto_server.powerless, strict=True))
    for credentials, name, kind, words in (
        (key | {"secret_access_key": SECRET}, bucket, "authentication", "does not belong"),
        ({"access_key_id": "AKIANOBODY", "secret_access_key": SECRET}, bucket, "authentication", "does not know"),
        (weak, bucket, "permission", "s3:ListBucket"),
        (key, "stoa-no-such-bucket", "not_found", "bucket does not exist"),
    ):
        with opened("minio", place_of(moto_server, name), credentials) as connector:
            error = failure(connector.verify, caplog)
        assert (error.kind, words in error.reason) == (kind, True), error.reason


def test_signatures_are_those_of_botocore() -> None:
    auth = pytest.importorskip("botocore.auth")
    awsrequest = pytest.importorskip("botocore.awsrequest")
    from botocore.credentials import Credentials

    class Stopped(auth.S3SigV4Auth):  # type: ignore[misc]
        def _modify_request_before_signing(self, request: Any) -> None:
            request.context["timestamp"] = "20240229T235959Z"
            super()._modify_request_before_signing(request)

    for token in (None, "a token/with+signs="):
        path, search = "/bucket/a%20b/%C3%A9%2B.csv", "list-type=2&max-keys=1000&prefix=x%2Fy"
        request = awsrequest.AWSRequest("GET", f"https://store.example:9000{path}?{search}")
        signer = Stopped(Credentials("AKIA", "secret", token), "s3", "eu-west-3")
        signer.add_auth(request)
        stamp = request.headers["X-Amz-Date"]
        ours = signature(
            ("AKIA", "secret", token),
            "eu-west-3",
            "store.example:9000",
            path,
            search,
            datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
        )
        assert ours["authorization"] == request.headers["Authorization"]


@contextmanager
def hostile_environment() -> Iterator[None]:
    """Credentials, endpoints and proxies in the process's environment that no connection may use."""
    trap = {
        "AWS_ACCESS_KEY_ID": SECRET,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": SECRET,
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1",
        "AWS_REGION": "eu-trap-1",
        "AWS_REQUEST_PAYER": "requester",
        "GOOGLE_APPLICATION_CREDENTIALS": "/etc/hostname",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "HTTPS_PROXY": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
        "NETRC": "/etc/hostname",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in trap.items():
            patch.setenv(name, value)
        yield


EMPTY_LIST = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"


def test_nothing_is_taken_from_the_environment() -> None:
    def answer(asked: Asked) -> Reply:
        return 200, {}, b"{}" if asked.path.startswith("/storage") else EMPTY_LIST

    with hostile_environment(), http_stub(answer) as stub:
        for kind, credentials in (
            ("s3", {"access_key_id": "AKIA", "secret_access_key": "mine"}),
            ("s3", {}),
            ("gcs", {}),
        ):
            with opened(kind, {"bucket": "bucket", "endpoint_url": stub.url}, credentials) as connector:
                connector.verify()
    signed, anonymous, google = stub.asked
    assert signed.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIA/")
    assert "/us-east-1/s3/" in signed.headers["authorization"]
    assert not {"x-amz-security-token", "x-amz-request-payer"} & set(signed.headers)
    assert "authorization" not in anonymous.headers
    assert "authorization" not in google.headers
    assert all(SECRET not in str(asked) for asked in stub.asked)
    assert all(asked.headers["host"] == f"localhost:{stub.port}" for asked in stub.asked)


@pytest.mark.parametrize("kind", ["s3", "minio", "gcs"])
def test_redirects_are_not_followed(kind: str) -> None:
    with http_stub(lambda asked: (200, {}, EMPTY_LIST)) as inside:

        def away(asked: Asked) -> Reply:
            return 307, {"Location": f"http://inside.invalid:{inside.port}/secret"}, b""

        with (
            http_stub(away) as outside,
            opened(kind, {"bucket": "bucket", "endpoint_url": outside.url}) as connector,
        ):
            error = failure(connector.verify)
    assert error.kind == "bad_config"
    assert "redirects to 'inside.invalid', which is not followed" in error.reason
    assert inside.asked == []


def test_a_bucket_in_another_region_names_the_region() -> None:
    document = b"<Error><Code>PermanentRedirect</Code><Endpoint>x.s3.eu-west-1.amazonaws.com</Endpoint></Error>"
    with (
        http_stub(lambda asked: (301, {"x-amz-bucket-region": "eu-west-1"}, document)) as stub,
        opened("s3", {"bucket": "bucket", "endpoint_url": stub.url}) as connector,
    ):
        error = failure(connector.verify)
    assert (error.kind, error.reason) == ("bad_config", "The bucket is in the region 'eu-west-1'. Set region to it.")


def test_overload_is_tried_again_a_bounded_number_of_times() -> None:
    busy = iter([503, 500])
    with (
        http_stub(lambda asked: (next(busy, 200), {}, EMPTY_LIST)) as stub,
        opened("s3", {"bucket": "bucket", "endpoint_url": stub.url}) as connector,
    ):
        connector.verify()
    assert len(stub.asked) == 3
    with (
        http_stub(lambda asked: (503, {}, b"<Error><Code>SlowDown</Code></Error>")) as stub,
        opened("s3", {"bucket": "bucket", "endpoint_url": stub.url}) as connector,
    ):
        error = failure(connector.verify)
    assert (error.kind, len(stub.asked)) == ("failed", 3)
    assert "slow down" in error.reason


@pytest.mark.parametrize(
    "body",
    [b"hello", b"<html/>", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><ListBucketResult>&a;</ListBucketResult>', b"\xff\xfe<"],
)
def test_an_answer_that_is_not_a_stores_is_said_to_be_none(body: bytes) -> None:
    with (
        http_stub(lambda asked: (200, {}, body)) as stub,
        opened("s3", {"bucket": "bucket", "endpoint_url": stub.url}) as connector,
    ):
        error = failure(connector.verify)
    assert error.kind == "failed"
    assert "did not answer as an S3 store does" in error.reason


SIGNED = {"access_key_id": "AKIA", "secret_access_key": SECRET}


@pytest.fixture(scope="module")
def service_account() -> tuple[dict[str, str], Any]:
    """A service account's key file (without its token_uri) and the public key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    held = {
        "type": "service_account",
        "client_email": "reader@project.iam.gserviceaccount.com",
        "private_key_id": "key-7",
        "private_key": pem,
    }
    return held, key.public_key()


@pytest.mark.parametrize("kind", ["s3", "gcs"])
def test_each_failure_on_the_way_has_its_own_kind(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    certificate, _ = self_signed(tmp_path)

    def error_at(origin: str, **times: float) -> ConnectorError:
        with opened(kind, {"bucket": "bucket", "endpoint_url": origin}, SIGNED, **times) as connector:
            return failure(connector.verify, caplog)

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        assert error_at(f"http://localhost:{closed.getsockname()[1]}").kind == "unreachable"
    assert error_at("http://unknown.invalid").kind == "unreachable"
    refused = error_at("http://inside.invalid")
    assert (refused.kind, "is private" in refused.reason) == ("refused_address", True)
    with http_stub(lambda asked: (200, {}, EMPTY_LIST), certificate=certificate) as stub:
        untrusted = error_at(stub.url)
        assert (untrusted.kind, "could not be verified" in untrusted.reason) == ("tls", True)
        assert error_at(stub.url.replace("https", "http")).kind in {"unreachable", "failed"}
    with http_stub(lambda asked: (200, {}, EMPTY_LIST)) as stub:
        plain = error_at(stub.url.replace("http", "https"))
        assert (plain.kind, "did not answer with TLS" in plain.reason) == ("tls", True)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert error_at(f"http://localhost:{silent.getsockname()[1]}", statement=0.5).kind == "timeout"


@pytest.mark.parametrize(
    ("config", "credentials", "field"),
    [
        ({"bucket": "b", "endpoint_url": "ftp://host"}, {}, "endpoint_url"),
        ({"bucket": "b", "endpoint_url": f"https://user:{SECRET}@host"}, {}, "endpoint_url"),
        ({"bucket": "b", "endpoint_url": f"https://host/?key={SECRET}"}, {}, "endpoint_url"),
        ({"bucket": "b", "endpoint_url": "https://host:99999"}, {}, "endpoint_url"),
        ({"bucket": "../b"}, {}, "bucket"),
        ({}, {}, "bucket"),
        ({"bucket": "b", "prefix": "a/../b"}, {}, "prefix"),
        ({"bucket": "b", "region": "eu west"}, {}, "region"),
        ({"bucket": "b"}, {"secret_access_key": SECRET}, "credentials"),
        ({"bucket": "b"}, {"access_key_id": "AKIA", "secret_acces_key": SECRET}, "credentials"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_field(
    config: dict[str, str], credentials: dict[str, str], field: str
) -> None:
    error = failure(lambda: opened("s3", config, credentials))
    assert error.kind == "bad_config"
    assert field in error.reason


def test_minio_asks_for_its_endpoint_and_s3_knows_amazons() -> None:
    with opened("minio", {"bucket": "bucket"}, SIGNED) as connector:
        assert "endpoint_url" in failure(connector.verify).reason
    for bucket, region, host in (
        ("plain", None, "plain.s3.us-east-1.amazonaws.com"),
        ("with.dots", "eu-west-1", "s3.eu-west-1.amazonaws.com"),
        ("plain", "cn-north-1", "plain.s3.cn-north-1.amazonaws.com.cn"),
    ):
        policy = Loopback()
        policy.resolve = lambda host, port, held=policy: held.asked.append((host, port)) or []  # type: ignore
        with opened("s3", {"bucket": bucket, "region": region}, SIGNED, policy=policy) as connector:
            assert failure(connector.verify).kind == "refused_address"
        assert policy.asked == [(host, 443)]


class Google:
    """A stand-in for Cloud Storage's JSON API and its token service."""

    def __init__(self, objects: dict[str, bytes], public_key: Any = None) -> None:
        self.objects = objects
        self.public_key = public_key
        self.token_address = ""
        self.refuse = 0

    def __call__(self, asked: Asked) -> Reply:
        """Answer one request."""
        if asked.path == "/token":
            form = dict(part.split("=", 1) for part in asked.body.decode().split("&"))
            try:
                claims = jwt.decode(
                    form["assertion"], self.public_key, algorithms=["RS256"], audience=self.token_address
                )
            except jwt.InvalidTokenError:
                return 400, {}, b'{"error": "invalid_grant"}'
            assert claims["scope"].endswith("/auth/devstorage.read_only")
            return 200, {}, b'{"access_token": "short-lived", "expires_in": 3600}'
        if self.refuse:
            return self.refuse, {}, b'{"error": {"message": "reader@project may not"}}'
        if self.public_key is not None and asked.headers.get("authorization") != "Bearer short-lived":
            return 401, {}, b"{}"
        base = "/storage/v1/b/bucket/o"
        if asked.path == base:
            names = sorted(name for name in self.objects if name.startswith(asked.query.get("prefix", "")))
            start = int(asked.query.get("pageToken", 0))
            page = {"items": [{"name": n, "size": str(len(self.objects[n]))} for n in names[start : start + 2]]}
            more = {"nextPageToken": str(start + 2)} if start + 2 < len(names) else {}
            return 200, {}, json.dumps(page | more).encode()
        held = self.objects.get(unquote(asked.path.removeprefix(f"{base}/")))
        if held is None:
            return 404, {}, b"{}"
        first, last = (int(part) for part in asked.headers["range"].removeprefix("bytes=").split("-"))
        return 206, {}, held[first : last + 1]


def google_config(stub: HttpStub) -> dict[str, str]:
    """The config of the stand-in's bucket."""
    return {"bucket": "bucket", "endpoint_url": stub.url}


@pytest.mark.parametrize("as_text", [True, False])
def test_google_is_read_with_a_service_account(
    as_text: bool, service_account: tuple[dict[str, str], Any], parquet: bytes
) -> None:
    held, public_key = service_account
    google = Google({ODD: b"a\n1\n", "t.parquet": parquet, "x/b.csv": b"b\n1\n"}, public_key)
    with http_stub(google) as stub:
        google.token_address = f"{stub.url}/token"
        file: Any = held | {"token_uri": google.token_address}
        credentials = {"service_account": json.dumps(file) if as_text else file}
        with opened("gcs", google_config(stub), credentials) as connector:
            assert connector.verify().details["tables"] == 3
            found = everything(connector)
    assert found["root"]["t"].row_count == 20_000
    assert columns(found["x"]["b"]) == {"b": "BIGINT"}
    assert len([asked for asked in stub.asked if asked.path == "/token"]) == 1


def test_each_refusal_of_google_has_its_own_sentence(
    service_account: tuple[dict[str, str], Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    held, public_key = service_account
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    secret = held["private_key"].splitlines()[3]
    for key, status, kind, words in (
        (other, 0, "authentication", "refuses the service account"),
        (public_key, 403, "permission", "Storage Object Viewer"),
        (public_key, 404, "not_found", "does not exist"),
        (public_key, 401, "authentication", "refuses the credentials"),
    ):
        google = Google({}, key)
        google.refuse = status
        with http_stub(google) as stub:
            google.token_address = f"{stub.url}/token"
            credentials = {"service_account": held | {"token_uri": google.token_address}}
            with opened("gcs", google_config(stub), credentials) as connector:
                error = failure(connector.verify, caplog, secret=secret)
        assert (error.kind, words in error.reason) == (kind, True), error.reason
    google = Google({})
    google.refuse = 401
    with http_stub(google) as stub, opened("gcs", google_config(stub)) as connector:
        assert "not public" in failure(connector.verify).reason


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"private_key": SECRET}, "not a usable RSA key"),
        ({"private_key": ""}, "holds no private_key"),
        ({"type": "authorized_user"}, "not one of a service account"),
        ({"token_uri": "http://far.example/token"}, "must begin with https://"),
        ({"token_uri": "http://inside.invalid/token"}, "must begin with https://"),
        ({"token_uri": "https://inside.invalid/token"}, "is private"),
    ],
)
def test_a_key_file_that_cannot_be_used_is_explained(
    change: dict[str, str], words: str, service_account: tuple[dict[str, str], Any]
) -> None:
    with http_stub(Google({})) as stub:
        credentials = {"service_account": service_account[0] | {"token_uri": f"{stub.url}/token"} | change}
        with opened("gcs", google_config(stub), credentials) as connector:
            assert words in failure(connector.verify).reason


def test_credentials_do_not_show_when_printed(service_account: tuple[dict[str, str], Any]) -> None:
    for kind, credentials in (
        ("s3", SIGNED | {"session_token": SECRET}),
        ("gcs", {"service_account": service_account[0] | {"private_key": SECRET}}),
        ("gcs", {"service_account": json.dumps({"private_key": SECRET})}),
    ):
        connector = opened(kind, {"bucket": "bucket"}, credentials)
        assert SECRET not in repr(connector) + str(connector)
        assert SECRET not in repr(connector._credentials) + str(connector._credentials)  # type: ignore[attr-defined]


def test_no_file_of_a_bucket_stays_behind(
    moto_server: MotoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bucket = moto_server.bucket({"a.csv": b"a\n1\n"})
    with opened("s3", place_of(moto_server, bucket), key_of(moto_server)) as connector:
        everything(connector)
    assert os.listdir(tmp_path) == []
