"""The ring of keys that seals secrets: AES-256-GCM, bound to the row that a ciphertext belongs to.

A sealed text reads `v1.<key id>.<nonce>.<ciphertext>`, base64url without padding. The version, the key id and the
caller's associated data are authenticated with it, so a ciphertext that is changed, or moved to another organization,
resource or name, does not open. Keys come from the setting `secret_keys`, or from a file in the data folder that is
made on first use.
"""

import base64
import binascii
import contextlib
import fcntl
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import BaseModel, Field, SecretStr, field_validator

VERSION = "v1"
KEY_BYTES = 32
NONCE_BYTES = 12
TAG_BYTES = 16
KEY_FILE = "keyring.json"
KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


_Stamp = tuple[int, int, int]


class SealBroken(Exception):
    """A sealed text does not open: it was changed or moved, or its key is not on the ring. Holds no key and no text."""


class KeyRingFixed(Exception):
    """The ring comes from the environment and cannot be changed from here."""


class KeyUnknown(ValueError):
    """No key of that id is on the ring."""


class KeyRingSettings(BaseModel):
    """Where the keys that seal secrets come from."""

    secret_keys: SecretStr | None = Field(
        None,
        description="Comma-separated id:key pairs, keys of 32 bytes in base64; the first seals, all open. "
        "Unset: keyring.json in the data folder.",
    )

    @field_validator("secret_keys")
    @classmethod
    def _usable(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            _parsed_setting(value.get_secret_value())
        return value


def associated_data(*parts: str) -> bytes:
    """The associated data of one row, such as organization, resource type, resource and name.

    The parts stay apart: `("a", "bc")` and `("ab", "c")` give different data.
    """
    return orjson.dumps(parts)


def secret_data(organization_id: str, resource_type: str, resource_id: str, name: str, bound_to: str | None) -> bytes:
    """The associated data of one row of the table of secrets, where it may be sent included if that is bound."""
    place = (organization_id, resource_type, resource_id, name)
    return associated_data(*place) if bound_to is None else associated_data(*place, bound_to)


class KeyRing:
    """Seals with the active key and opens with any key of the ring.

    Safe for many threads and for many processes on one data folder: a ring that another process rotated is read again
    before the next use.
    """

    def __init__(self, keys: Mapping[str, bytes], *, active: str) -> None:
        """A fixed ring of raw 32-byte keys. Raises ValueError when a key or an id is not usable."""
        _check(keys, active)
        self._path: Path | None = None
        # One pair, since threads swap it: keys of one moment under the stamp of another would stay in use.
        self._latest: tuple[_State, _Stamp | None] = _State(keys, active), None

    @classmethod
    def from_settings(cls, settings: KeyRingSettings, folder: Path) -> "KeyRing":
        """The ring of the setting, or else of the data folder."""
        if settings.secret_keys is None:
            return cls.in_folder(folder)
        keys = _parsed_setting(settings.secret_keys.get_secret_value())
        return cls(keys, active=next(iter(keys)))

    @classmethod
    def in_folder(cls, folder: Path) -> "KeyRing":
        """The ring of `keyring.json`, made when it is not there; processes that start at once share one.

        Raises ValueError when the file is there but cannot be read as a ring; it is never replaced, because the
        secrets that it opens would be lost.
        """
        path = folder / KEY_FILE
        if not path.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            first = _new_id()
            draft = _draft(path, {first: secrets.token_bytes(KEY_BYTES)}, first)
            try:
                # A link appears whole or not at all, and fails when another process was first.
                with contextlib.suppress(FileExistsError):
                    os.link(draft, path)
                    _keep_names(folder)
            finally:
                draft.unlink()
        stamp = _stamp(path)
        keys, active = _read(path)
        ring = cls(keys, active=active)
        ring._path, ring._latest = path, (ring._latest[0], stamp)
        return ring

    @property
    def active(self) -> str:
        """The id of the key that seals."""
        return self._current().active

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The ids of all keys, oldest first; never the keys."""
        return tuple(self._current().ciphers)

    @property
    def fixed(self) -> bool:
        """Return whether the ring comes from the environment, so that nothing here adds a key or drops one."""
        return self._path is None

    def seal(self, plaintext: bytes, associated: bytes) -> str:
        """Seal a text for the row that `associated` names; the answer is printable."""
        state = self._current()
        nonce = secrets.token_bytes(NONCE_BYTES)
        bound = _bound(state.active, associated)
        ciphertext = state.ciphers[state.active].encrypt(nonce, plaintext, bound)
        return ".".join((VERSION, state.active, _encode(nonce), _encode(ciphertext)))

    def open(self, token: str, associated: bytes) -> bytes:
        """The text that was sealed for that row. Raises SealBroken."""
        key_id, nonce, ciphertext = _split(token)
        cipher = self._current().ciphers.get(key_id)
        if cipher is None:
            _broken("its key is not on the ring; put the key back into STOA_SECRET_KEYS or keyring.json")
        try:
            return cipher.decrypt(nonce, ciphertext, _bound(key_id, associated))
        except InvalidTag:
            _broken("it was changed, or belongs to another row")

    def needs_rotation(self, token: str) -> bool:
        """Return whether the text is sealed with another key than the active one. Raises SealBroken when it is no
        seal.
        """
        return _split(token)[0] != self._current().active

    def rotate(self) -> str:
        """Put a new active key on the file's ring and keep the old ones; answers its id.

        Seal the stored texts anew (`needs_rotation` tells which), then `drop` the old keys. Raises KeyRingFixed when
        the ring comes from the setting.
        """
        with self._changing() as (path, keys, _):
            fresh = _new_id(keys)
            self._replace(path, {**keys, fresh: secrets.token_bytes(KEY_BYTES)}, fresh)
            return fresh

    def drop(self, key_id: str) -> None:
        """Take a key off the file's ring; what is still sealed with it is lost.

        Raises ValueError for the active key, KeyUnknown for one that is not there, KeyRingFixed when the ring comes
        from the setting.
        """
        with self._changing() as (path, keys, active):
            if key_id == active:
                raise ValueError("The active key cannot be dropped. Rotate first.")
            if key_id not in keys:
                raise KeyUnknown("No such key is on the ring.")
            self._replace(path, {name: key for name, key in keys.items() if name != key_id}, active)

    def __repr__(self) -> str:
        """Ids only."""
        state = self._latest[0]
        return f"KeyRing(active={state.active!r}, keys={len(state.ciphers)})"

    def __reduce__(self) -> NoReturn:
        """A ring is never pickled: it would carry its keys along."""
        raise TypeError("A key ring cannot be pickled.")

    def _current(self) -> "_State":
        if self._path is not None:
            stamp = _stamp(self._path)
            state, seen = self._latest
            if stamp != seen:
                keys, active = _read(self._path)
                state = _State(keys, active)
                self._latest = state, stamp
            return state
        return self._latest[0]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[Path, dict[str, bytes], str]]:
        if self._path is None:
            raise KeyRingFixed("The keys come from STOA_SECRET_KEYS: put a new id:key pair first in it and restart.")
        # The lock is a file of its own because the ring's file is replaced as a whole.
        descriptor = os.open(self._path.with_name(f".{KEY_FILE}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            keys, active = _read(self._path)
            yield self._path, keys, active
        finally:
            os.close(descriptor)

    def _replace(self, path: Path, keys: Mapping[str, bytes], active: str) -> None:
        draft = _draft(path, keys, active)
        draft.replace(path)
        _keep_names(path.parent)
        self._latest = _State(keys, active), _stamp(path)


class _State:
    """The ciphers of one moment, swapped as a whole so that no thread sees half a rotation."""

    __slots__ = ("active", "ciphers")

    def __init__(self, keys: Mapping[str, bytes], active: str) -> None:
        self.ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}
        self.active = active


def _bound(key_id: str, associated: bytes) -> bytes:
    return f"{VERSION}.{key_id}.".encode() + associated


def _broken(why: str) -> NoReturn:
    # `from None`: what the decoder saw must not travel with the failure.
    raise SealBroken(f"The sealed value cannot be opened: {why}.") from None


def _split(token: str) -> tuple[str, bytes, bytes]:
    parts = token.split(".")
    if len(parts) != 4 or parts[0] != VERSION or KEY_ID.fullmatch(parts[1]) is None:
        _broken("it is not a sealed value of this version")
    try:
        nonce, ciphertext = _decode(parts[2]), _decode(parts[3])
    except (ValueError, binascii.Error):
        _broken("it is not base64url")
    if len(nonce) != NONCE_BYTES or len(ciphertext) < TAG_BYTES:
        _broken("a part of it is missing")
    return parts[1], nonce, ciphertext


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    data = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _encode(data) != text:  # left-over bits would give one seal many spellings
        raise ValueError
    return data


def _check(keys: Mapping[str, bytes], active: str) -> None:
    if active not in keys:
        raise ValueError("The active key is not on the ring.")
    for key_id, key in keys.items():
        if KEY_ID.fullmatch(key_id) is None:
            raise ValueError("A key's id is 1 to 64 letters, digits, - or _.")
        if len(key) != KEY_BYTES:
            raise ValueError(f"A key is {KEY_BYTES} bytes long; make one with: openssl rand -base64 {KEY_BYTES}")


def _parsed_setting(value: str) -> dict[str, bytes]:
    keys: dict[str, bytes] = {}
    for pair in filter(None, (part.strip() for part in value.split(","))):
        key_id, colon, text = pair.partition(":")
        text = text.strip().replace("-", "+").replace("_", "/").rstrip("=")
        try:
            key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except (ValueError, binascii.Error):
            key = b""
        if not colon or key_id in keys or len(key) != KEY_BYTES:
            # Names no part of the value: it is a key.
            raise ValueError("must be comma-separated id:key pairs with distinct ids and keys of 32 bytes in base64")
        keys[key_id] = key
    if not keys:
        raise ValueError("must hold at least one id:key pair")
    _check(keys, next(iter(keys)))
    return keys


def _new_id(taken: Mapping[str, bytes] | None = None) -> str:
    while (key_id := secrets.token_hex(4)) in (taken or {}):
        pass
    return key_id


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def _read(path: Path) -> tuple[dict[str, bytes], str]:
    try:
        document = orjson.loads(path.read_bytes())
        keys = {str(key_id): base64.b64decode(text, validate=True) for key_id, text in document["keys"].items()}
        active = str(document["active"])
        _check(keys, active)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} cannot be read as a key ring. Restore it from a backup; never delete it.") from None
    return keys, active


def _keep_names(folder: Path) -> None:
    """Put what the folder's files are called on disk: secrets may not be sealed with a key that a power cut takes."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _draft(path: Path, keys: Mapping[str, bytes], active: str) -> Path:
    """Write a ring beside its place, whole and on disk, readable by its owner only."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    document = {"active": active, "keys": {key_id: base64.b64encode(key).decode() for key_id, key in keys.items()}}
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(orjson.dumps(document))
            file.flush()
            os.fsync(file.fileno())
    except BaseException:  # a full disk must not leave half a ring with keys in it
        draft.unlink()
        raise
    return draft
