"""The outbound policy: which addresses are reached, in whatever spelling, and that HTTP goes nowhere else."""

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from persistence.outbound import (
    OutboundPolicy,
    OutboundSettings,
    RefusedAddress,
    ResponseTooLarge,
    http_client,
    plain_host,
    read_bounded,
)

pytestmark = pytest.mark.anyio
PUBLIC = "93.184.216.34"


def policy(allow: str = "", deny: str = "", private: bool = False, **names: list[str]) -> OutboundPolicy:
    def look_up(host: str, port: int) -> list[str]:
        try:
            return names[host.replace(".", "_").replace("-", "_")]
        except KeyError:
            raise OSError(f"unknown name {host}") from None

    settings = OutboundSettings(outbound_allow=allow, outbound_deny=deny, outbound_private=private)
    return OutboundPolicy(settings, resolver=look_up)


REFUSED = [
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.1.1",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "100::1",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "::8.8.8.8",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:470:1::5efe:10.0.0.1",
    "2001:470:1::200:5efe:10.0.0.1",
]
REACHED = [PUBLIC, "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::8.8.8.8", "2002:808:808::1"]


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused_with_the_way_to_allow_it(address: str) -> None:
    with pytest.raises(RefusedAddress, match=r"STOA_OUTBOUND_ALLOW.*STOA_OUTBOUND_PRIVATE"):
        policy().resolve(address, 5432)
    with pytest.raises(RefusedAddress, match="STOA_OUTBOUND_ALLOW"):
        policy(inner_test=[address]).resolve("inner.test", 5432)


@pytest.mark.parametrize("address", REFUSED)
def test_the_same_address_is_reached_when_private_ones_are_allowed_or_the_host_is_listed(address: str) -> None:
    assert policy(private=True).resolve(address, 5432)
    assert policy(allow="*.test", inner_test=[address]).resolve("inner.test", 5432)


@pytest.mark.parametrize("address", REACHED)
def test_a_public_address_is_reached(address: str) -> None:
    assert policy().resolve(address, 443) == [str(ipaddress.ip_address(address))]
    assert policy(web_test=[address, address]).resolve("Web.Test.", 443) == [str(ipaddress.ip_address(address))]


def test_one_refused_address_among_many_refuses_the_host() -> None:
    with pytest.raises(RefusedAddress):
        policy(mixed_test=[PUBLIC, "10.0.0.1"]).resolve("mixed.test", 443)


def test_a_mapped_address_is_answered_as_the_plain_one_that_it_is() -> None:
    assert policy(web_test=[f"::ffff:{PUBLIC}"]).resolve("web.test", 443) == [PUBLIC]


def test_the_answer_keeps_the_order_of_the_name_service() -> None:
    addresses = ["2606:4700::1111", "8.8.8.8", "8.8.4.4"]
    assert policy(web_test=addresses).resolve("web.test", 443) == addresses


def test_an_unknown_name_is_an_os_error() -> None:
    with pytest.raises(OSError, match="unknown"):
        policy().resolve("nobody.test", 443)
    with pytest.raises(OSError, match="no address"):
        policy(empty_test=[]).resolve("empty.test", 443)


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "127.1",
        "127.0.1",
        "127.0.0.1.",
        "127.0.0.01",
        "1.2.3.4.5",
        "256.256.256.256",
        "",
        " ",
        ".",
        "..",
        "a..b",
        "user@10.0.0.1",
        "user:password@db.test",
        "db.test:5432",
        "db.test/path",
        "db test",
        "db\ttest",
        "db\x00.test",
        "db.test\n",
        "fe80::1%eth0",
        "[::1",
        "[127.0.0.1]",
        "[db.test]",
        "%31%32%37.0.0.1",
        "-db.test",
        "x" * 64 + ".test",
        "x." * 130,
        "\u202edb.test",
        "127\u30020\u30020\u30021:80",
        "\u0661\u0662\u0667.0.0.1",
    ],
)
def test_an_odd_spelling_of_a_host_is_refused(host: str) -> None:
    with pytest.raises(RefusedAddress):
        policy().resolve(host, 80)


@pytest.mark.parametrize(
    ("host", "plain"),
    [
        ("DB.Example.COM", "db.example.com"),
        ("db.example.com.", "db.example.com"),
        (" db ", "db"),
        ("my_db", "my_db"),
        ("[2606:4700:0:0::1111]", "2606:4700::1111"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("\uff11\uff12\uff17.0.0.1", "127.0.0.1"),
        ("127\u30020\u30020\u30021", "127.0.0.1"),
        ("\u24dbocalhost", "localhost"),
        ("::FFFF:7f00:1", "::ffff:7f00:1"),
    ],
)
def test_a_host_has_one_spelling(host: str, plain: str) -> None:
    assert ipaddress.ip_address(plain_host(host)) == ipaddress.ip_address(plain) if ":" in plain else True
    assert ":" in plain or plain_host(host) == plain


@given(st.text(max_size=60) | st.text(alphabet="0123456789abcdefx.:[]%@", max_size=40))
def test_no_spelling_reaches_a_private_address(host: str) -> None:
    def look_up(name: str, port: int) -> list[str]:
        assert name == plain_host(name)
        return ["10.0.0.1"]

    try:
        addresses = OutboundPolicy(OutboundSettings(), resolver=look_up).resolve(host, 80)
    except RefusedAddress:
        return
    assert all(ipaddress.ip_address(address).is_global for address in addresses)


@given(st.ip_addresses())
def test_whatever_python_calls_not_global_is_refused(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    wrapped = address in ipaddress.ip_network("64:ff9b:1::/48") if address.version == 6 else False
    if not address.is_global and not wrapped:
        with pytest.raises(RefusedAddress):
            policy().resolve(str(address), 80)


METADATA = ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "100.100.100.200"]


@pytest.mark.parametrize("address", METADATA)
def test_a_cloud_metadata_service_is_reached_only_when_listed_by_address(address: str) -> None:
    for allow in ("", "*", "meta.test", "169.254.0.0/16,fd00::/8,100.64.0.0/10,64:ff9b::/96"):
        with pytest.raises(RefusedAddress, match="metadata"):
            policy(allow=allow, private=True, meta_test=[address]).resolve("meta.test", 80)
    listed = policy(allow="169.254.169.254,fd00:ec2::254,100.100.100.200", meta_test=[address])
    assert len(listed.resolve("meta.test", 80)) == 1


def test_an_entry_with_a_port_is_for_that_port_only() -> None:
    for entry, host in (("10.1.0.0/16:5432", "10.1.2.3"), ("db.corp:5432", "db.corp"), ("[fd00::1]:5432", "fd00::1")):
        guarded = policy(allow=entry, db_corp=["10.9.9.9"])
        assert guarded.resolve(host, 5432)
        with pytest.raises(RefusedAddress):
            guarded.resolve(host, 5433)


@pytest.mark.parametrize(
    ("allow", "address", "reached"),
    [
        ("10.0.0.0/8", "::ffff:10.0.0.1", True),
        ("10.0.0.0/8", "64:ff9b::10.0.0.1", True),
        ("10.0.0.0/8", "2002:a00:1::1", True),
        ("64:ff9b::/96", "64:ff9b::10.0.0.1", False),
        ("2002::/16", "2002:a00:1::1", False),
        ("2001:470::/32", "2001:470:1::5efe:10.0.0.1", False),
        ("10.0.0.0/8", "fd00::5efe:10.0.0.1", False),
        ("10.0.0.0/8,fd00::/8", "fd00::5efe:10.0.0.1", True),
        ("10.0.0.0/8", "2001:0:4136:e378:8000:63bf:f5ff:fffe", False),
    ],
)
def test_an_entry_for_the_outer_address_does_not_allow_the_one_inside(allow: str, address: str, reached: bool) -> None:
    guarded = policy(allow=allow)
    if reached:
        assert guarded.resolve(address, 80)
    else:
        with pytest.raises(RefusedAddress):
            guarded.resolve(address, 80)


def test_a_pattern_covers_hosts_below_it_and_no_other() -> None:
    guarded = policy(allow="*.db.corp", a_db_corp=["10.0.0.1"], db_corp_evil_test=["10.0.0.1"], xdb_corp=["10.0.0.1"])
    assert guarded.resolve("a.db.corp", 80) == ["10.0.0.1"]
    for other in ("db.corp.evil.test", "xdb.corp"):
        with pytest.raises(RefusedAddress):
            guarded.resolve(other, 80)


def test_deny_wins_over_allow() -> None:
    guarded = policy(
        allow="*.test,10.0.0.0/8", deny="bad.test,10.6.0.0/16,8.8.8.8", bad_test=[PUBLIC], ok_test=["10.6.0.1"]
    )
    for host in ("bad.test", "ok.test", "10.6.1.1", "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"):
        with pytest.raises(RefusedAddress, match="STOA_OUTBOUND_DENY"):
            guarded.resolve(host, 80)
    assert guarded.resolve("10.7.0.1", 80) == ["10.7.0.1"]


def test_denying_everything_leaves_what_is_listed() -> None:
    guarded = policy(allow="*.test,10.0.0.0/8", deny="*", private=True, ok_test=[PUBLIC], web_example=[PUBLIC])
    assert guarded.resolve("ok.test", 443) == [PUBLIC]
    assert guarded.resolve("10.0.0.1", 443) == ["10.0.0.1"]
    for host in ("web.example", PUBLIC, "192.168.0.1"):
        with pytest.raises(RefusedAddress, match="STOA_OUTBOUND_ALLOW"):
            guarded.resolve(host, 443)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_out_of_range_is_refused(port: int) -> None:
    with pytest.raises(RefusedAddress, match="65535"):
        policy().resolve(PUBLIC, port)


@pytest.mark.parametrize(
    "entry",
    [
        "10.0.0.0/33",
        "10.0.0.1/8",
        "db.test:0",
        "db.test:",
        "db.test:99999",
        "10.0.*",
        "http://db.test",
        "a b",
        "[::1",
        "*.*",
        "::1/x",
    ],
)
def test_a_list_with_an_entry_that_cannot_be_read_does_not_start(entry: str) -> None:
    for name in ("outbound_allow", "outbound_deny"):
        with pytest.raises(ValidationError):
            OutboundSettings(**{name: f"ok.test,{entry}"})


# HTTP -----------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def web(answer: bytes, seen: list[bytes], tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A tiny server on loopback that gives one answer to everything and notes the requests."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            seen.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answer)
            await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]


def answered(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def test_http_goes_to_the_vetted_address_under_the_hosts_name() -> None:
    seen: list[bytes] = []
    async with web(answered(b"hello"), seen) as port:
        guarded = policy(allow=f"web.test:{port}", web_test=["127.0.0.1"])
        async with http_client(guarded) as client, client.stream("GET", f"http://web.test:{port}/x?y=1") as response:
            assert await read_bounded(response, 5) == b"hello"
    assert seen[0].startswith(b"GET /x?y=1 HTTP/1.1\r\n")
    assert f"host: web.test:{port}".encode() in seen[0].lower()
    assert b"accept-encoding: identity" in seen[0].lower()


async def test_http_to_a_private_address_is_refused_before_anything_is_sent() -> None:
    seen: list[bytes] = []
    async with web(answered(b"secret"), seen) as port, http_client(policy(web_test=["127.0.0.1"])) as client:
        for host in ("web.test", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"):
            with pytest.raises(RefusedAddress):
                await client.get(f"http://{host}:{port}/")
    assert seen == []


async def test_a_redirect_into_a_private_address_is_not_followed() -> None:
    outer: list[bytes] = []
    inner: list[bytes] = []
    async with web(answered(b"secret"), inner) as inside:
        location = f"Location: http://127.0.0.1:{inside}/secret"
        async with web(answered(b"", location, status="302 Found"), outer) as outside:
            guarded = policy(allow=f"web.test:{outside}", web_test=["127.0.0.1"])
            async with http_client(guarded) as client:
                response = await client.get(f"http://web.test:{outside}/")
                assert (response.status_code, len(outer)) == (302, 1)
                with pytest.raises(RefusedAddress):
                    await client.get(f"http://web.test:{outside}/", follow_redirects=True)
    assert inner == []


async def test_a_name_that_moves_after_it_was_vetted_gains_nothing() -> None:
    seen: list[bytes] = []
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])
    calls = 0

    def look_up(host: str, port: int) -> list[str]:
        nonlocal calls
        calls += 1
        return next(answers)

    async with web(answered(b"x"), seen) as port:
        guarded = OutboundPolicy(OutboundSettings(outbound_allow="127.0.0.1"), resolver=look_up)
        async with http_client(guarded) as client:
            assert (await client.get(f"http://moving.test:{port}/")).text == "x"
            assert calls == 1
            with pytest.raises(RefusedAddress):
                await client.get(f"http://moving.test:{port}/")


async def test_the_next_vetted_address_is_tried_when_one_does_not_answer() -> None:
    seen: list[bytes] = []
    async with web(answered(b"x"), seen) as port:
        guarded = policy(private=True, web_test=["127.0.0.9", "127.0.0.1"])
        async with http_client(guarded) as client:
            assert (await client.get(f"http://web.test:{port}/")).text == "x"


async def test_failures_are_httpxs_own() -> None:
    async with http_client(policy(private=True, closed_test=["127.0.0.1"])) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("http://unknown.test/")
        with pytest.raises(httpx.ConnectError):
            await client.get("http://closed.test:1/")
        with pytest.raises(httpx.UnsupportedProtocol):
            await client.get("ftp://closed.test/")
    cut_short = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"
    async with web(cut_short, []) as port, http_client(policy(private=True)) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(f"http://127.0.0.1:{port}/")


async def test_a_silent_server_is_a_time_out() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server, http_client(policy(private=True), timeout=0.2) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.get(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")


async def test_the_proxy_of_the_environment_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with web(answered(b"direct"), []) as port, http_client(policy(private=True)) as client:
        assert (await client.get(f"http://127.0.0.1:{port}/")).text == "direct"


@pytest.mark.parametrize(
    "answer",
    [
        answered(b"x" * 101),
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 101,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n",
    ],
)
async def test_an_answer_above_the_limit_is_not_read(answer: bytes) -> None:
    async with (
        web(answer, []) as port,
        http_client(policy(private=True)) as client,
        client.stream("GET", f"http://127.0.0.1:{port}/") as response,
    ):
        with pytest.raises(ResponseTooLarge, match="100 bytes"):
            await read_bounded(response, 100)


async def test_an_answer_compressed_without_being_asked_is_not_read() -> None:
    async with (
        web(answered(b"x", "Content-Encoding: gzip"), []) as port,
        http_client(policy(private=True)) as client,
        client.stream("GET", f"http://127.0.0.1:{port}/") as response,
    ):
        with pytest.raises(httpx.DecodingError):
            await read_bounded(response, 100)


def certificate(folder: Path, name: str) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        built.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


async def test_tls_is_checked_against_the_name_and_not_the_address(tmp_path: Path) -> None:
    pem = certificate(tmp_path, "web.test")
    asked: list[str | None] = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem)
    tls.sni_callback = lambda _socket, name, _context: asked.append(name)
    trusting = ssl.create_default_context(cafile=str(pem))
    async with web(answered(b"x"), [], tls) as port:
        guarded = policy(private=True, web_test=["127.0.0.1"], other_test=["127.0.0.1"])
        async with http_client(guarded, verify=trusting) as client:
            assert (await client.get(f"https://web.test:{port}/")).text == "x"
            with pytest.raises(httpx.ConnectError):
                await client.get(f"https://other.test:{port}/")
        async with http_client(guarded) as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(f"https://web.test:{port}/")
    assert asked == ["web.test", "other.test", "web.test"]


async def test_the_systems_name_service_is_asked_and_its_answer_judged() -> None:
    with pytest.raises(RefusedAddress):
        await OutboundPolicy(OutboundSettings()).resolve_async("localhost", 80)
    found = await OutboundPolicy(OutboundSettings(outbound_private=True)).resolve_async("localhost", 80)
    assert {"127.0.0.1", "::1"} >= set(found)
