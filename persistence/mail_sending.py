"""A message sent by e-mail: to one server, which the deployment names, over TLS, bounded in time.

The addresses of a webhook stand in a `mailto:` address. Each is plain ASCII without a sign that a header or an envelope
gives a meaning, so no address brings a second one, or a line, with it.
"""

import asyncio
import contextlib
import email.policy
import re
import smtplib
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator

from persistence.web_addresses import BadAddress
from persistence.webhook_sending import Attempt

SCHEME: Final = "mailto:"
MOST_RECIPIENTS: Final = 20
_LOCAL: Final = r"[A-Za-z0-9!$'*+/=^_`{|}~-]+(?:\.[A-Za-z0-9!$'*+/=^_`{|}~-]+)*"
_DOMAIN: Final = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS: Final = re.compile(rf"(?P<local>{_LOCAL})@(?P<domain>{_DOMAIN})", re.ASCII)
LONGEST_LOCAL, LONGEST_ADDRESS = 64, 254
_POLICY: Final = email.policy.SMTP.clone(cte_type="7bit")


class NoMail(ValueError):
    """The deployment sends no e-mail; the text is safe to show, and says what to set."""


class MailSettings(BaseModel):
    """The mail server that messages to people go through."""

    smtp_host: str | None = Field(
        None, min_length=1, max_length=255, description="The mail server. Unset: nothing is sent by e-mail."
    )
    smtp_port: int = Field(587, ge=1, le=65535, description="Its port.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls",
        description="starttls; tls, from the first byte on (port 465); or none, for a server on the same machine.",
    )
    smtp_user: str | None = Field(None, min_length=1, max_length=255, description="Who signs in there. Unset: nobody.")
    smtp_password: SecretStr | None = Field(None, min_length=1, description="The password for it.")
    smtp_sender: str | None = Field(
        None, max_length=LONGEST_ADDRESS, description="The address that messages come from, such as stoa@example.com."
    )
    smtp_recipient_domains: str = Field(
        "", description="Comma-separated domains that messages may go to, such as example.com; empty: any."
    )
    smtp_ca_file: Path | None = Field(
        None, description="A PEM file of the authorities that vouch for the mail server; unset: those of the system."
    )

    @field_validator("smtp_sender")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None and not _is_address(value):
            raise ValueError("must be a plain address, such as stoa@example.com")
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.smtp_host is not None and self.smtp_sender is None:
            raise ValueError("STOA_SMTP_HOST is set, so set STOA_SMTP_SENDER too: the address that messages come from")
        if (self.smtp_user is None) != (self.smtp_password is None):
            raise ValueError("STOA_SMTP_USER and STOA_SMTP_PASSWORD go together")
        if self.smtp_user is not None and self.smtp_security == "none":
            raise ValueError("STOA_SMTP_SECURITY is none, so STOA_SMTP_PASSWORD would be sent in the clear")
        return self


@dataclass(frozen=True, slots=True)
class Mail:
    """A message to be sent. The `id` stays when it is sent again, and so does everything else."""

    id: str
    recipients: tuple[str, ...]
    subject: str
    text: str
    at: datetime

    def made(self, sender: str) -> EmailMessage:
        """As it goes out."""
        message = EmailMessage(policy=_POLICY)
        message["From"] = sender
        message["To"] = ", ".join(self.recipients)
        message["Subject"] = self.subject
        message["Date"] = format_datetime(self.at)
        message["Message-ID"] = f"<{self.id}@{sender.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(self.text)
        return message


class MailSender:
    """Sends by the mail server of the settings, with a connection for each message."""

    def __init__(self, settings: MailSettings, *, timeout: float) -> None:
        self._settings, self._timeout = settings, timeout

    def check(self, url: str) -> None:
        """Look whether messages could be sent to an address. Raises BadAddress, and NoMail where none are sent."""
        if self._settings.smtp_host is None:
            raise NoMail(
                "This deployment sends no e-mail. Have its operator set STOA_SMTP_HOST and STOA_SMTP_SENDER, "
                "or choose another channel."
            )
        allowed = {one.strip().lower() for one in self._settings.smtp_recipient_domains.split(",") if one.strip()}
        for one in recipients_of(url):
            if allowed and one.rpartition("@")[2].lower() not in allowed:
                raise BadAddress(f"This deployment sends e-mail to {', '.join(sorted(allowed))} alone.")

    async def send(self, mail: Mail) -> Attempt:
        """Send once. What is taken for some of the recipients is not sent again, as these would have it twice."""
        started = time.monotonic()
        code: int | None = None
        error: str | None = None
        refused = 0
        try:
            self.check(SCHEME + ",".join(mail.recipients))
            async with asyncio.timeout(2 * self._timeout):
                refused = await asyncio.to_thread(self._hand_over, mail)
            code = 250
            if refused:
                error = f"The mail server refused {refused} of {len(mail.recipients)} addresses."
        except (NoMail, BadAddress) as bad:
            error = str(bad)
        except smtplib.SMTPRecipientsRefused as none:
            code = min((said[0] for said in none.recipients.values()), default=None)
            error = f"The mail server refused every address (code {code})."
        except smtplib.SMTPResponseException as said:
            code, error = said.smtp_code, f"The mail server answered with code {said.smtp_code}."
        except ssl.SSLError as failure:
            error = f"The mail server's certificate was not accepted, or it speaks no TLS ({type(failure).__name__})."
        except TimeoutError:
            error = f"The mail server did not answer within {self._timeout:g} seconds."
        except (smtplib.SMTPException, OSError) as failure:
            error = f"The mail server cannot be reached, or does not offer what is asked ({type(failure).__name__})."
        return Attempt(code, error, round((time.monotonic() - started) * 1000), partly=refused > 0)

    def _hand_over(self, mail: Mail) -> int:
        """Give a message to the server; how many of its recipients were refused."""
        settings = self._settings
        assert settings.smtp_host is not None
        assert settings.smtp_sender is not None
        context = ssl.create_default_context(cafile=settings.smtp_ca_file)
        place = (settings.smtp_host, settings.smtp_port)
        # The name that is told in the greeting; the machine's own would be asked of the DNS, which may take long.
        greeting = settings.smtp_sender.rpartition("@")[2]
        server: smtplib.SMTP
        if settings.smtp_security == "tls":
            server = smtplib.SMTP_SSL(*place, greeting, timeout=self._timeout, context=context)
        else:
            server = smtplib.SMTP(*place, greeting, timeout=self._timeout)
        try:
            if settings.smtp_security == "starttls":
                server.starttls(context=context)
            if settings.smtp_user is not None and settings.smtp_password is not None:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            message = mail.made(settings.smtp_sender)
            refused = server.send_message(message, settings.smtp_sender, list(mail.recipients))
        except BaseException:
            server.close()
            raise
        with contextlib.suppress(smtplib.SMTPException, OSError):  # it has taken the message
            server.quit()
        return len(refused)


def recipients_of(url: str) -> tuple[str, ...]:
    """The addresses of a `mailto:` address, each once. Raises BadAddress when it holds anything else."""
    found: Sequence[str] = url.removeprefix(SCHEME).split(",") if url.startswith(SCHEME) else ()
    if not found or not all(map(_is_address, found)):
        raise BadAddress("Write mailto: and plain addresses with commas between them, as mailto:ann@example.com.")
    if len(found) > MOST_RECIPIENTS:
        raise BadAddress(f"Name {MOST_RECIPIENTS} addresses at most; a list of the mail server reaches more people.")
    return tuple(dict.fromkeys(found))


def _is_address(text: str) -> bool:
    found = _ADDRESS.fullmatch(text)
    return found is not None and len(text) <= LONGEST_ADDRESS and len(found["local"]) <= LONGEST_LOCAL
