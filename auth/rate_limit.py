"""Sliding windows of one minute, one per principal and kind, in memory or in Redis.

Both doors charge the same window because they name the same principal and kind. A charge is atomic and one that is
refused costs nothing. When Redis cannot be reached the limiter goes on with windows of its own process and says so in
the log: a limiter that is down must neither stop the platform nor leave it without any limit.
"""

import contextlib
import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import ConfigurationError
from pydantic import BaseModel, Field, SecretStr

log = logging.getLogger("stoa.auth")

WINDOW = 60
NAMESPACE = "stoa"
REDIS_PAUSE = 5.0
"""Seconds for which a Redis that failed is not asked again, so that requests do not queue up for its time-out."""
MOST_WINDOWS = 100_000


class CallKind(StrEnum):
    """Describes which rate window a call is charged to (contract section 8)."""

    READ = "reads"
    WRITE = "writes"
    BULK = "bulk"
    ANONYMOUS = "anonymous"


class RateLimitSettings(BaseModel):
    """How many calls a principal may make in any 60 seconds, unless their organization has limits of its own."""

    rate_limit_reads: int = Field(300, ge=0, le=1_000_000, description="Reads per minute: GET, and POST that searches.")
    rate_limit_writes: int = Field(60, ge=0, le=1_000_000, description="Writes per minute: POST, PUT, PATCH, DELETE.")
    rate_limit_bulk: int = Field(10, ge=0, le=1_000_000, description="Bulk operations per minute.")
    rate_limit_anonymous: int = Field(
        30, ge=0, le=1_000_000, description="Reads per minute of one address without a token, where they are allowed."
    )

    @property
    def limits(self) -> "Limits":
        """The deployment's limits as one value."""
        return Limits(self.rate_limit_reads, self.rate_limit_writes, self.rate_limit_bulk, self.rate_limit_anonymous)


class RedisSettings(BaseModel):
    """The Redis server that several processes share."""

    redis_url: SecretStr | None = Field(
        None,
        description="redis://[:password@]host:port/db, or rediss:// for TLS. Unset: windows live in each process.",
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """Calls per minute, by kind. 0 allows none."""

    reads: int = 300
    writes: int = 60
    bulk: int = 10
    anonymous: int = 30

    def of(self, kind: CallKind) -> int:
        """The limit of one kind."""
        limit: int = getattr(self, kind.value)
        return limit

    def overridden(
        self,
        reads: int | None = None,
        writes: int | None = None,
        bulk: int | None = None,
        anonymous: int | None = None,
    ) -> "Limits":
        """These limits with a tenant's own where they have some."""
        return Limits(
            self.reads if reads is None else reads,
            self.writes if writes is None else writes,
            self.bulk if bulk is None else bulk,
            self.anonymous if anonymous is None else anonymous,
        )


@dataclass(frozen=True, slots=True)
class RateWindow:
    """One window as the answer's headers tell it.

    `reset` is the Unix second at which the oldest call counted now leaves the window; `retry_after` is the wait until
    then, at least 1 when the call was refused and 0 when it was allowed.
    """

    limit: int
    remaining: int
    reset: int
    allowed: bool
    retry_after: int


class MemoryWindows:
    """The windows of this process: when each of the calls of the last minute was made.

    Where there are too many, the least recently charged window is dropped; a window drops its old entries when it is
    looked at. Nothing is awaited between looking and charging, so a charge is atomic within an event loop.
    """

    def __init__(self, clock: Callable[[], float], most: int = MOST_WINDOWS) -> None:
        self._clock = clock
        self._most = most
        self._windows: OrderedDict[str, deque[float]] = OrderedDict()

    def charge(self, key: str, limit: int, cost: int) -> tuple[bool, float, int]:
        """Charge when there is room; whether there was, and what `look` tells after it."""
        now = self._clock()
        times = self._live(key, now - WINDOW)
        fits = len(times) + cost <= limit
        if fits:
            times.extend([now] * cost)
            self._windows[key] = times
            self._windows.move_to_end(key)
            while len(self._windows) > self._most:
                self._windows.popitem(last=False)
        return fits, times[0] if times else now, len(times)

    def look(self, key: str) -> tuple[float, int]:
        """Return when the oldest counted call was made, which is now where there is none, and how many there are."""
        now = self._clock()
        times = self._live(key, now - WINDOW)
        return (times[0], len(times)) if times else (now, 0)

    def drop_latest(self, key: str) -> None:
        """Take back the latest call."""
        if times := self._windows.get(key):
            times.pop()

    def _live(self, key: str, since: float) -> deque[float]:
        times = self._windows.get(key)
        if times is None:
            return deque()
        while times and times[0] <= since:  # a call made exactly one window ago has left it
            times.popleft()
        return times


class RateLimiter:
    """Charges windows. Build it with `RateLimiter.of(settings, redis)`.

    Processes that share a Redis share the windows; their clocks must agree, because the library counts by the time of
    the process that charges. A limit that is changed starts a window of its own.
    """

    def __init__(
        self, limits: Limits, *, redis: RedisStorage | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._memory = MemoryWindows(clock)
        self._redis = None if redis is None else MovingWindowRateLimiter(redis)
        self._redis_storage = redis
        self._redis_again_at = -math.inf

    @classmethod
    def of(
        cls, settings: RateLimitSettings, redis: RedisSettings, *, clock: Callable[[], float] = time.time
    ) -> "RateLimiter":
        """The limiter that the settings ask for. Raises ValueError with the way out when Redis cannot be used."""
        return cls(settings.limits, redis=_redis_storage(redis), clock=clock)

    async def charge(self, principal: str, kind: CallKind, limit: int | None = None, cost: int = 1) -> RateWindow:
        """Take `cost` from the principal's window, or nothing at all when there is not enough room.

        `limit` is the tenant's own; None means the deployment's. A cost of 0 only looks. A cost above the limit is
        always refused.
        """
        if cost < 0:
            raise ValueError("A cost is not negative.")
        return await self._answer(principal, kind, limit, cost, charge=cost > 0)

    async def give_back(self, principal: str, kind: CallKind, limit: int | None = None) -> None:
        """Take back the latest call charged to a window, of a request that turned out not to belong there.

        Where Redis cannot be reached the call stays charged.
        """
        amount = self._limits.of(kind) if limit is None else limit
        if amount <= 0:
            return
        if self._redis_storage is None or self._clock() < self._redis_again_at:
            self._memory.drop_latest(_key(amount, kind, principal))
            return
        key = RateLimitItemPerMinute(amount, namespace=NAMESPACE).key_for(kind.value, principal)
        bridge: Any = self._redis_storage.bridge
        with contextlib.suppress(Exception):  # as above: whatever ails Redis
            await bridge.get_connection().lpop(bridge.prefixed_key(key))

    async def peek(self, principal: str, kind: CallKind, limit: int | None = None) -> RateWindow:
        """The window as it stands; `allowed` says whether a call of cost 1 would be."""
        return await self._answer(principal, kind, limit, 1, charge=False)

    async def close(self) -> None:
        """Give back the connections to Redis."""
        if self._redis_storage is not None:
            bridge: Any = self._redis_storage.bridge
            await bridge.storage.aclose()

    async def _answer(
        self, principal: str, kind: CallKind, limit: int | None, cost: int, *, charge: bool
    ) -> RateWindow:
        amount = self._limits.of(kind) if limit is None else limit
        now = self._clock()
        if amount <= 0:
            return RateWindow(0, 0, math.ceil(now) + WINDOW, cost == 0, 0 if cost == 0 else WINDOW)
        if self._redis is not None and now >= self._redis_again_at:
            try:
                return await self._through(self._redis, amount, kind, principal, cost, charge)
            except Exception as error:  # whatever ails Redis, its client or its address: a limiter never answers 500
                self._redis_again_at = now + REDIS_PAUSE
                log.warning(
                    "Redis cannot be reached (%s); rate windows are kept per process for %d seconds",
                    type(error.__cause__ or error).__name__,
                    REDIS_PAUSE,
                )
        key = _key(amount, kind, principal)
        if charge:
            charged, oldest, calls = self._memory.charge(key, amount, cost)
            return self._told(amount, cost, oldest + WINDOW, amount - calls, charged)
        oldest, calls = self._memory.look(key)
        return self._told(amount, cost, oldest + WINDOW, amount - calls, None)

    async def _through(
        self, limiter: Any, amount: int, kind: CallKind, principal: str, cost: int, charge: bool
    ) -> RateWindow:
        item = RateLimitItemPerMinute(amount, namespace=NAMESPACE)
        identifiers = (kind.value, principal)
        charged = await limiter.hit(item, *identifiers, cost=cost) if charge else None
        reset, remaining = await limiter.get_window_stats(item, *identifiers)
        return self._told(amount, cost, reset, int(remaining), charged)

    def _told(self, amount: int, cost: int, reset: float, remaining: int, charged: bool | None) -> RateWindow:
        """The window; `charged` says whether there was room, None that nothing was charged."""
        remaining = max(0, remaining)
        allowed = remaining >= cost if charged is None else charged
        if allowed:
            return RateWindow(amount, remaining, math.ceil(reset), True, 0)
        # A cost above the limit never fits: then the wait is a whole window, not a promise.
        wait = WINDOW if cost > amount else max(1, min(WINDOW, math.ceil(reset - self._clock())))
        return RateWindow(amount, remaining, math.ceil(reset), False, wait)


def _key(amount: int, kind: CallKind, principal: str) -> str:
    """The name of a window in memory; a limit that is changed starts a window of its own."""
    return f"{amount}/{kind.value}/{principal}"


def _redis_storage(settings: RedisSettings) -> RedisStorage | None:
    if settings.redis_url is None:
        return None
    url = settings.redis_url.get_secret_value()
    if not url.startswith(("redis://", "rediss://", "redis+unix://")):
        raise ValueError("STOA_REDIS_URL must start with redis://, rediss:// or redis+unix://.")
    if find_spec("redis") is None:
        raise ValueError(
            "STOA_REDIS_URL is set but the Redis client is not installed: pip install 'stoa-platform[redis]'"
        )
    try:
        return RedisStorage(
            f"async+{url}",
            implementation="redispy",
            wrap_exceptions=True,
            socket_connect_timeout=1.0,
            socket_timeout=1.0,
        )
    except (ConfigurationError, ValueError, TypeError):
        # `from None`: the library's own text may repeat the address, which may hold a password.
        raise ValueError("STOA_REDIS_URL cannot be read; write it as redis://:password@host:6379/0.") from None
