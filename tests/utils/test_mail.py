"""Webhooks by e-mail: what is sent by which server and how, what is refused, and that no text brings a header along."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from persistence.mail_sending import BadAddress, MailSettings, recipients_of
from persistence.queries.events import Happening
from resolvers.utils.webhooks import create_webhook, get_webhook, list_webhooks, rotate_webhook_secret, update_webhook
from schema.data_readiness.violation import Severity
from schema.utils.event import EventType
from tests.data_readiness.quality import scope_of
from tests.doors import Door
from tests.support.http_stub import self_signed
from tests.support.smtp_stub import SmtpStub, smtp_stub
from tests.utils.receiving import log, settle, tell
from tests.world import World

pytestmark = pytest.mark.anyio

ANN = "mailto:ann@example.com"
TWO = f"{ANN},ben@example.com"


@pytest.fixture
def server(world: World, tmp_path: Path) -> Iterator[SmtpStub]:
    """A mail server that the deployment sends by."""
    path, certificate = self_signed(tmp_path)
    authority = tmp_path / "authority.pem"
    authority.write_text(certificate)
    with smtp_stub(path) as stub:
        with_settings(
            world,
            host="localhost",
            port=stub.port,
            sender="stoa@stoa.example",
            ca_file=authority,
            user="stoa",
            password=SecretStr("s3cret-of-mail"),
        )
        yield stub


def with_settings(world: World, **values: Any) -> None:
    """Let the deployment have other settings of mail."""
    for name, value in values.items():
        setattr(world.app.parts.settings, f"smtp_{name}", value)


async def made(world: World, door: Door, url: str = ANN, **given: Any) -> Any:
    """A webhook by e-mail, or the refusal."""
    return await door(create_webhook, world.owner, webhook={"name": "Ours", "channel": "email", "url": url} | given)


async def test_people_get_a_message_over_tls_that_is_known_when_it_comes_again(
    world: World, door: Door, server: SmtpStub
) -> None:
    hook = await made(world, door, TWO)
    assert (hook["webhook"]["url"], hook["webhook"]["public_keys"], hook["secret"]) == (TWO, [], None)
    server.answers = ["451 later"]
    await tell(world, "a.x", "a.y", severity=Severity.HIGH)
    (waiting, _) = await log(world, door, hook["webhook"]["id"])
    assert (waiting["response_status"], waiting["error"]) == (451, "The mail server answered with code 451.")
    await settle(world, seconds=6)
    first, again = server.taken
    assert first.raw == again.raw
    assert first.over_tls
    assert first.signed_in == "\0stoa\0s3cret-of-mail"
    assert (first.sender, first.recipients) == ("stoa@stoa.example", ["ann@example.com", "ben@example.com"])
    message = first.message
    assert message["Subject"] == "2 new violations in a"
    assert message["Message-ID"] == f"<{waiting['message_id']}@stoa.example>"
    assert (message["From"], message["Auto-Submitted"]) == ("stoa@stoa.example", "auto-generated")
    assert message.get_content_type() == "text/plain"
    assert first.text.splitlines() == [
        "2 new violations in a",
        "• high: n at a.x",
        "• high: n at a.y",
        "Decide about the violations in the inbox.",
    ]
    done = await log(world, door, hook["webhook"]["id"])
    assert [(one["status"], one["attempts"], one["error"]) for one in done] == [("delivered", 2, None)] * 2


async def test_without_a_mail_server_it_is_said_what_to_set(world: World, door: Door) -> None:
    refused = await made(world, door)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "channel")
    body = {"name": "n", "channel": "email", "url": ANN}
    answer = await world.request("POST", "/utils/webhooks", token=world.owner, json=body)
    assert "STOA_SMTP_HOST" in answer.json()["error"]["message"]
    assert (await door(list_webhooks, world.owner))["total"] == 0


async def test_a_mail_server_that_is_taken_away_is_told_by_the_log(world: World, door: Door, server: SmtpStub) -> None:
    hook = await made(world, door)
    with_settings(world, host=None)
    await tell(world, "a.b")
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert delivery["status"] == "waiting"
    assert "STOA_SMTP_HOST" in delivery["error"]


@pytest.mark.parametrize("url", ["https://example.com/hook", "mailto:ann@example.com?bcc=eve@example.com"])
async def test_an_address_that_is_none_of_mail_is_refused(world: World, door: Door, server: SmtpStub, url: str) -> None:
    refused = await made(world, door, url)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "url")
    hook = await made(world, door)
    id = hook["webhook"]["id"]
    assert await door(update_webhook, world.owner, webhook_id=id, changes={"url": url}) == "VALIDATION_ERROR"
    assert (await door(get_webhook, world.owner, webhook_id=id))["url"] == ANN
    assert await door(rotate_webhook_secret, world.owner, webhook_id=id) == "VALIDATION_ERROR"
    other = await door(create_webhook, world.owner, webhook={"name": "n", "url": ANN})
    assert (other, other.details["field"]) == ("VALIDATION_ERROR", "url")


async def test_mail_goes_to_the_domains_of_the_deployment_alone(world: World, door: Door, server: SmtpStub) -> None:
    with_settings(world, recipient_domains="example.org, Example.com")
    hook = await made(world, door)
    assert await made(world, door, f"{ANN},eve@elsewhere.example") == "VALIDATION_ERROR"
    with_settings(world, recipient_domains="example.org")
    await tell(world, "a.b")
    assert server.taken == []
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert delivery["error"] == "This deployment sends e-mail to example.org alone."


async def test_one_bad_address_keeps_the_others_from_getting_it_twice(
    world: World, door: Door, server: SmtpStub
) -> None:
    hook = await made(world, door, TWO)
    server.refuses = {"ben@example.com"}
    await tell(world, "a.b")
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["attempts"]) == ("delivered", 1)
    assert delivery["error"] == "The mail server refused 1 of 2 addresses."
    server.refuses |= {"ann@example.com"}
    await tell(world, "a.c")
    (_, delivery) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["response_status"]) == ("waiting", 550)
    assert [one.recipients for one in server.taken] == [["ann@example.com"]]


async def test_nothing_goes_out_in_the_clear_or_to_a_stranger(
    world: World, door: Door, server: SmtpStub, tmp_path: Path
) -> None:
    hook = await made(world, door)
    server.offers_tls = False
    await tell(world, "a.b")
    server.offers_tls = True
    with_settings(world, ca_file=None)
    await settle(world, seconds=6)
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["attempts"], delivery["response_status"]) == ("waiting", 2, None)
    assert "certificate" in delivery["error"]
    assert server.taken == []
    assert "s3cret" not in str(await world.dump())


async def test_no_name_brings_a_header_along(world: World, door: Door, server: SmtpStub) -> None:
    await made(world, door)
    nasty = "a\r\nBcc: eve@evil.example\r\n\r\n.\r\nRCPT TO:<eve@evil.example>"
    happening = Happening(EventType.VIOLATION_OPENED, f'w."{nasty}"', Severity.LOW, {"name": nasty})
    now = world.clock()
    await world.app.parts.services.store.write(lambda uow: uow.events.tell(scope_of(world), now, happening))
    await settle(world)
    (taken,) = server.taken
    assert taken.recipients == ["ann@example.com"]
    assert taken.message["Bcc"] is None
    told = "a Bcc: eve@evil.example . RCPT TO:<eve@evil.example>"
    assert taken.message["Subject"].strip() == f'1 new violation in w."{told}"'
    assert taken.text.splitlines()[1] == f'• low: {told} at w."{told}"'


@pytest.mark.parametrize(
    "url",
    [
        "mailto:", "mailto:ann", "mailto:@example.com", "mailto:ann@", "mailto:a@b@c", "mailto:ann@example.com,",
        "mailto:ann%0d%0abcc:eve@example.com", "mailto:<ann@example.com>", 'mailto:"a b"@example.com',
        "mailto:ann@exa\r\nmple.com", "mailto:änn@example.com", "mailto:ann@exämple.com", "mailto:a..b@example.com",
        "mailto:ann@example.com;ben@example.com", f"mailto:{'a' * 65}@example.com", "MAILTO:ann@example.com",
        "mailto:ann@-x.com", "mailto:" + ",".join(f"a{n}@example.com" for n in range(21)), "mailto:ann@example.com\n",
    ],
)  # fmt: skip
def test_an_address_is_plain_or_none(url: str) -> None:
    with pytest.raises(BadAddress):
        recipients_of(url)


def test_addresses_are_told_once_each() -> None:
    assert recipients_of("mailto:a@b,c.d+e@f.example,a@b") == ("a@b", "c.d+e@f.example")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"smtp_host": "mail"}, "STOA_SMTP_SENDER"),
        ({"smtp_sender": "Stoa <stoa@example.com>"}, "plain address"),
        ({"smtp_user": "u"}, "STOA_SMTP_PASSWORD"),
        ({"smtp_user": "u", "smtp_password": "p", "smtp_security": "none"}, "in the clear"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MailSettings.model_validate(given)
