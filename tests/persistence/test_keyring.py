"""The key ring: what it seals opens for the same row only, survives rotation, and shows no key."""

import multiprocessing
import os
import pickle
import stat
import threading
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from persistence.keyring import KeyRing, KeyRingFixed, KeyRingSettings, SealBroken, associated_data

ROW = associated_data("acme", "project", "shop", "password")
KEY = bytes(range(32))
OTHER = bytes(range(32, 64))


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing({"k1": KEY}, active="k1")


def test_what_is_sealed_opens_for_the_same_row(ring: KeyRing) -> None:
    token = ring.seal(b"hunter2", ROW)
    assert token.startswith("v1.k1.")
    assert len(token.split(".")) == 4
    assert "hunter2" not in token
    assert ring.open(token, ROW) == b"hunter2"


def test_the_same_text_never_gives_the_same_seal(ring: KeyRing) -> None:
    assert len({ring.seal(b"", ROW) for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "elsewhere",
    [
        ("globex", "project", "shop", "password"),
        ("acme", "model", "shop", "password"),
        ("acme", "project", "other", "password"),
        ("acme", "project", "shop", "user"),
        ("acme", "project", "shop/password"),
        ("acmeproject", "shop", "password"),
    ],
)
def test_a_seal_moved_to_another_row_does_not_open(ring: KeyRing, elsewhere: tuple[str, ...]) -> None:
    token = ring.seal(b"hunter2", ROW)
    with pytest.raises(SealBroken, match="another row"):
        ring.open(token, associated_data(*elsewhere))


def test_no_change_of_one_character_goes_unseen(ring: KeyRing) -> None:
    token = ring.seal(b"hunter2", ROW)
    for position, mark in enumerate(token):
        for other in {"A", "B", "_", ".", "=", "é"} - {mark}:
            with pytest.raises(SealBroken):
                ring.open(token[:position] + other + token[position + 1 :], ROW)


@given(st.text(max_size=80) | st.text(alphabet="v1.k-_A", max_size=80))
def test_nothing_but_a_seal_opens(text: str) -> None:
    with pytest.raises(SealBroken):
        KeyRing({"k1": KEY}, active="k1").open(text, ROW)


@given(st.binary(max_size=2000), st.binary(max_size=50))
def test_every_text_comes_back_whole(text: bytes, row: bytes) -> None:
    ring = KeyRing({"k1": KEY}, active="k1")
    assert ring.open(ring.seal(text, row), row) == text


def test_a_seal_relabelled_with_another_key_id_does_not_open() -> None:
    ring = KeyRing({"k1": KEY, "k2": KEY}, active="k1")
    with pytest.raises(SealBroken):
        ring.open(ring.seal(b"x", ROW).replace("v1.k1.", "v1.k2."), ROW)


def test_a_key_that_is_not_on_the_ring_is_named_as_the_reason(ring: KeyRing) -> None:
    token = KeyRing({"k9": KEY}, active="k9").seal(b"x", ROW)
    with pytest.raises(SealBroken, match="not on the ring"):
        ring.open(token, ROW)


def test_a_ring_shows_no_key(ring: KeyRing) -> None:
    shown = repr(ring) + str(ring) + str(vars(ring))
    for form in (KEY.hex(), b64encode(KEY).decode(), repr(KEY)):
        assert form not in shown
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(ring)


def test_a_broken_seal_tells_nothing_of_the_text_or_the_key(ring: KeyRing) -> None:
    token = ring.seal(b"hunter2", ROW)
    with pytest.raises(SealBroken) as failure:
        ring.open(token, b"other")
    assert token not in str(failure.value)
    assert failure.value.__suppress_context__


def test_the_first_key_of_the_setting_seals_and_all_open() -> None:
    new, old = b64encode(OTHER).decode(), urlsafe_b64encode(KEY).decode().rstrip("=")
    settings = KeyRingSettings(secret_keys=SecretStr(f" new:{new} , old:{old}"))
    ring = KeyRing.from_settings(settings, Path("/nowhere"))
    assert (ring.active, ring.key_ids) == ("new", ("new", "old"))
    token = KeyRing({"old": KEY}, active="old").seal(b"x", ROW)
    assert ring.open(token, ROW) == b"x"
    assert ring.needs_rotation(token)
    assert not ring.needs_rotation(ring.seal(b"x", ROW))
    for change in (ring.rotate, lambda: ring.drop("old")):
        with pytest.raises(KeyRingFixed, match="STOA_SECRET_KEYS"):
            change()


@pytest.mark.parametrize(
    "value",
    [
        "",
        " , ",
        "k1",
        "k1:",
        "k1:c2hvcnQ=",
        "k1:!!!!",
        ":" + b64encode(KEY).decode(),
        "a b:" + b64encode(KEY).decode(),
        "a.b:" + b64encode(KEY).decode(),
        f"k:{b64encode(KEY).decode()},k:{b64encode(OTHER).decode()}",
        "k1:" + b64encode(KEY + b"x").decode(),
    ],
)
def test_a_setting_that_is_no_ring_is_refused_without_repeating_it(value: str) -> None:
    with pytest.raises(ValidationError) as failure:
        KeyRingSettings(secret_keys=SecretStr(value))
    if len(value) > 20:
        assert value not in str(failure.value)
        assert b64encode(KEY).decode()[:20] not in str(failure.value)


def test_the_file_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    token = KeyRing.in_folder(folder).seal(b"x", ROW)
    assert stat.S_IMODE((folder / "keyring.json").stat().st_mode) == 0o600
    assert KeyRing.from_settings(KeyRingSettings(), folder).open(token, ROW) == b"x"
    assert os.listdir(folder) == ["keyring.json"]


def test_rotation_keeps_old_seals_open_until_their_key_is_dropped(tmp_path: Path) -> None:
    ring = KeyRing.in_folder(tmp_path)
    old, before = ring.active, ring.seal(b"x", ROW)
    fresh = ring.rotate()
    assert (ring.active, ring.key_ids) == (fresh, (old, fresh))
    assert ring.needs_rotation(before)
    after = ring.seal(ring.open(before, ROW), ROW)
    assert not ring.needs_rotation(after)
    with pytest.raises(ValueError, match="active"):
        ring.drop(fresh)
    with pytest.raises(ValueError, match="No such key"):
        ring.drop("unknown")
    ring.drop(old)
    assert ring.open(after, ROW) == b"x"
    with pytest.raises(SealBroken, match="not on the ring"):
        ring.open(before, ROW)
    assert stat.S_IMODE((tmp_path / "keyring.json").stat().st_mode) == 0o600


def test_a_rotation_elsewhere_is_seen_at_once(tmp_path: Path) -> None:
    mine, theirs = KeyRing.in_folder(tmp_path), KeyRing.in_folder(tmp_path)
    fresh = theirs.rotate()
    assert mine.active == fresh
    assert mine.open(theirs.seal(b"x", ROW), ROW) == b"x"


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"active":"a","keys":{}}', b'{"active":"a","keys":{"a":"eA=="}}']
)
def test_a_damaged_file_is_reported_and_never_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "keyring.json").write_bytes(content)
    with pytest.raises(ValueError, match="backup"):
        KeyRing.in_folder(tmp_path)
    assert (tmp_path / "keyring.json").read_bytes() == content


def _seal_at(folder: str, gate: object, answers: object) -> None:
    gate.wait()  # type: ignore[attr-defined]
    answers.put(KeyRing.in_folder(Path(folder)).seal(b"x", ROW))  # type: ignore[attr-defined]


def test_processes_that_start_at_once_share_one_ring(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    gate, answers = context.Barrier(4), context.Queue()
    processes = [context.Process(target=_seal_at, args=(str(tmp_path), gate, answers)) for _ in range(4)]
    for process in processes:
        process.start()
    tokens = [answers.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    ring = KeyRing.in_folder(tmp_path)
    assert len(ring.key_ids) == 1
    assert [ring.open(token, ROW) for token in tokens] == [b"x"] * 4


def test_rotations_at_once_lose_no_key(tmp_path: Path) -> None:
    rings = [KeyRing.in_folder(tmp_path) for _ in range(8)]
    tokens: list[str] = []

    def work(ring: KeyRing) -> None:
        for _ in range(3):
            tokens.append(ring.seal(b"x", ROW))
            ring.rotate()

    threads = [threading.Thread(target=work, args=(ring,)) for ring in rings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ring = KeyRing.in_folder(tmp_path)
    assert len(ring.key_ids) == 1 + 24
    assert [ring.open(token, ROW) for token in tokens] == [b"x"] * 24
