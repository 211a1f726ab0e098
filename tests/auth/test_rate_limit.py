"""Rate windows: sliding, atomic, shared by whoever names the same principal, in memory and in Redis."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from auth.rate_limit import CallKind, Limits, MemoryWindows, RateLimiter, RateLimitSettings, RateWindow, RedisSettings
from tests.support.redis import RedisServer, redis_server

pytestmark = pytest.mark.anyio
START = 1_800_000_000.0


class Clock:
    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Clock) -> RateLimiter:
    return RateLimiter(Limits(reads=3, writes=2, bulk=1, anonymous=1), clock=clock)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture
async def pair(server: RedisServer) -> AsyncIterator[tuple[RateLimiter, RateLimiter]]:
    limiters = tuple(RateLimiter.of(RateLimitSettings(), RedisSettings(redis_url=server.url)) for _ in range(2))
    yield limiters
    for each in limiters:
        await each.close()


def test_the_defaults_are_those_of_the_contract() -> None:
    assert RateLimitSettings().limits == Limits(300, 60, 10, 30) == Limits()
    assert [Limits().of(kind) for kind in CallKind] == [300, 60, 10, 30]
    assert Limits().overridden(writes=5, bulk=0) == Limits(300, 5, 0, 30)


async def test_a_window_counts_down_and_then_refuses(limiter: RateLimiter) -> None:
    reset = int(START) + 60
    assert [await limiter.charge("ann", CallKind.READ) for _ in range(4)] == [
        RateWindow(3, 2, reset, True, 0),
        RateWindow(3, 1, reset, True, 0),
        RateWindow(3, 0, reset, True, 0),
        RateWindow(3, 0, reset, False, 60),
    ]


async def test_the_window_slides_call_by_call(limiter: RateLimiter, clock: Clock) -> None:
    for second in (0, 20, 40):
        clock.now = START + second
        assert (await limiter.charge("ann", CallKind.READ)).allowed
    clock.now = START + 59.9
    refused = await limiter.charge("ann", CallKind.READ)
    assert (refused.allowed, refused.reset, refused.retry_after) == (False, int(START) + 60, 1)
    clock.now = START + 60
    assert (await limiter.charge("ann", CallKind.READ)).allowed
    refused = await limiter.charge("ann", CallKind.READ)
    assert (refused.allowed, refused.reset, refused.retry_after) == (False, int(START) + 80, 20)


async def test_waiting_as_long_as_retry_after_says_is_enough(limiter: RateLimiter, clock: Clock) -> None:
    for second in (0.25, 0.5, 0.75):
        clock.now = START + second
        await limiter.charge("ann", CallKind.READ)
    clock.now = START + 7.9
    refused = await limiter.charge("ann", CallKind.READ)
    assert not refused.allowed
    clock.now += refused.retry_after
    assert (await limiter.charge("ann", CallKind.READ)).allowed


async def test_a_refused_charge_costs_nothing(limiter: RateLimiter) -> None:
    await limiter.charge("ann", CallKind.READ)
    refused = await limiter.charge("ann", CallKind.READ, cost=3)
    assert (refused.allowed, refused.remaining) == (False, 2)
    assert (await limiter.charge("ann", CallKind.READ, cost=2)).allowed


async def test_a_cost_above_the_limit_never_fits(limiter: RateLimiter) -> None:
    assert await limiter.charge("ann", CallKind.READ, cost=4) == RateWindow(3, 3, int(START) + 60, False, 60)


async def test_looking_charges_nothing(limiter: RateLimiter) -> None:
    for _ in range(5):
        assert (await limiter.peek("ann", CallKind.BULK)).remaining == 1
        assert (await limiter.charge("ann", CallKind.BULK, cost=0)).allowed
    assert (await limiter.charge("ann", CallKind.BULK)).allowed
    assert not (await limiter.peek("ann", CallKind.BULK)).allowed


async def test_principals_and_kinds_have_windows_of_their_own(limiter: RateLimiter) -> None:
    assert (await limiter.charge("ann", CallKind.BULK)).allowed
    assert (await limiter.charge("bob", CallKind.BULK)).allowed
    assert (await limiter.charge("ann", CallKind.WRITE)).remaining == 1
    assert not (await limiter.charge("ann", CallKind.BULK)).allowed


async def test_a_tenant_may_have_limits_of_his_own(limiter: RateLimiter) -> None:
    assert (await limiter.charge("ann", CallKind.BULK, limit=5)).remaining == 4
    assert await limiter.charge("ann", CallKind.BULK, limit=0) == RateWindow(0, 0, int(START) + 60, False, 60)


async def test_a_negative_cost_is_a_mistake_of_the_program(limiter: RateLimiter) -> None:
    with pytest.raises(ValueError, match="negative"):
        await limiter.charge("ann", CallKind.READ, cost=-1)


async def test_a_hundred_at_once_get_exactly_what_there_is(clock: Clock) -> None:
    limiter = RateLimiter(Limits(reads=40), clock=clock)
    answers = await asyncio.gather(*(limiter.charge("ann", CallKind.READ) for _ in range(100)))
    assert sum(answer.allowed for answer in answers) == 40


def test_memory_is_bounded_by_dropping_the_window_that_was_charged_longest_ago(clock: Clock) -> None:
    windows = MemoryWindows(clock, most=2)
    for name in ("a", "b", "a", "c"):
        assert windows.charge(name, 5, 1)[0]
    assert [windows.look(name)[1] for name in "abc"] == [2, 0, 1]


@given(steps=st.lists(st.tuples(st.floats(0, 30), st.integers(1, 4)), max_size=40), limit=st.integers(1, 8))
def test_no_sixty_seconds_ever_hold_more_than_the_limit(steps: list[tuple[float, int]], limit: int) -> None:
    async def play() -> None:
        clock = Clock()
        limiter = RateLimiter(Limits(), clock=clock)
        made: list[float] = []
        for wait, cost in steps:
            clock.now += wait
            live = sum(moment > clock.now - 60 for moment in made)
            answer = await limiter.charge("ann", CallKind.READ, limit=limit, cost=cost)
            assert answer.allowed == (live + cost <= limit)
            if answer.allowed:
                made += [clock.now] * cost
                live += cost
            assert answer.remaining == limit - live

    asyncio.run(play())


async def test_two_processes_on_one_redis_share_a_window(pair: tuple[RateLimiter, RateLimiter]) -> None:
    first, second = pair
    assert (await first.charge("shared", CallKind.BULK, limit=3)).remaining == 2
    assert (await second.charge("shared", CallKind.BULK, limit=3, cost=2)).remaining == 0
    refused = await first.charge("shared", CallKind.BULK, limit=3)
    assert (refused.allowed, refused.remaining) == (False, 0)
    assert 1 <= refused.retry_after <= 60
    assert (await second.peek("shared", CallKind.BULK, limit=3)).reset == refused.reset


async def test_a_refused_charge_costs_nothing_in_redis_either(pair: tuple[RateLimiter, RateLimiter]) -> None:
    first, second = pair
    await first.charge("whole", CallKind.READ, limit=3)
    assert not (await second.charge("whole", CallKind.READ, limit=3, cost=3)).allowed
    assert (await first.charge("whole", CallKind.READ, limit=3, cost=2)).allowed


async def test_a_race_of_two_processes_in_redis_never_gives_more_than_the_limit(
    pair: tuple[RateLimiter, RateLimiter],
) -> None:
    answers = await asyncio.gather(*(each.charge("race", CallKind.READ, limit=25) for each in pair for _ in range(40)))
    assert sum(answer.allowed for answer in answers) == 25


async def test_a_call_that_is_given_back_leaves_the_window_in_memory_and_in_redis(
    pair: tuple[RateLimiter, RateLimiter],
) -> None:
    for first, second in ((RateLimiter(Limits()),) * 2, pair):
        await first.give_back("ann", CallKind.READ, limit=2)  # nothing to give back
        for _ in range(2):
            assert (await first.charge("ann", CallKind.READ, limit=2)).allowed
        assert not (await second.charge("ann", CallKind.READ, limit=2)).allowed
        await second.give_back("ann", CallKind.READ, limit=2)
        assert (await first.peek("ann", CallKind.READ, limit=2)).remaining == 1
        assert (await first.peek("ann", CallKind.WRITE, limit=2)).remaining == 2
        await first.give_back("ann", CallKind.READ, limit=0)


async def test_principals_with_marks_do_not_meet_in_redis(pair: tuple[RateLimiter, RateLimiter]) -> None:
    names = ["a/b", "a", "a/b/3/1/minute", "a b", "é", "a:*", "{a}"]
    for name in names:
        assert (await pair[0].charge(name, CallKind.WRITE, limit=3)).remaining == 2


@pytest.mark.parametrize("trouble", ["gone", "hanging"])
async def test_when_redis_fails_the_windows_go_on_in_the_process_and_come_back(
    trouble: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with redis_server(tmp_path) as server:
        clock = Clock()
        limiter = RateLimiter.of(RateLimitSettings(), RedisSettings(redis_url=server.url), clock=clock)
        assert (await limiter.charge("ann", CallKind.READ, limit=2)).remaining == 1
        if trouble == "gone":
            server.stop()
        else:
            server.pause()
        with caplog.at_level(logging.WARNING, "stoa.auth"):
            answers = [await limiter.charge("ann", CallKind.READ, limit=2) for _ in range(3)]
        assert [answer.allowed for answer in answers] == [True, True, False]
        assert [record.getMessage().startswith("Redis cannot be reached") for record in caplog.records] == [True]
        server.stop()
        server.start()
        clock.now += 6
        back = await limiter.charge("bob", CallKind.READ, limit=2)
        assert back.remaining == 1
        other = RateLimiter.of(RateLimitSettings(), RedisSettings(redis_url=server.url))
        assert (await other.peek("bob", CallKind.READ, limit=2)).remaining == 1
        await limiter.close()
        await other.close()


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1", "127.0.0.1:6379", "memory://", "redis://:hunter2@h:port/0", "redis://h:1/?socket_timeout=x"],
)
def test_an_address_that_is_no_redis_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="STOA_REDIS_URL") as failure:
        RateLimiter.of(RateLimitSettings(), RedisSettings(redis_url=SecretStr(url)))
    assert url not in str(failure.value)
    assert "install" not in str(failure.value)


def test_a_missing_client_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auth.rate_limit.find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"pip install 'stoa-platform\[redis\]'"):
        RateLimiter.of(RateLimitSettings(), RedisSettings(redis_url=SecretStr("redis://127.0.0.1")))


async def test_an_address_that_turns_out_wrong_only_when_used_fails_no_request(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    url = SecretStr(f"{server.url}?nonsense=1")
    limiter = RateLimiter.of(RateLimitSettings(), RedisSettings(redis_url=url))
    assert (await limiter.charge("ann", CallKind.READ, limit=2)).remaining == 1
    assert "Redis cannot be reached" in caplog.text
    await limiter.close()


def test_the_password_of_redis_is_not_in_the_settings_text() -> None:
    settings = RedisSettings(redis_url="redis://:hunter2@127.0.0.1/0")
    assert "hunter2" not in repr(settings) + settings.model_dump_json()
