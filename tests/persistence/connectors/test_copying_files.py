"""Files that do not lie on this machine are copied to be read."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from tests.persistence.connectors.test_files import put, put_parquet
from tests.persistence.connectors.test_objects import key_of, place_of
from tests.persistence.connectors.test_reading_files import reading, tree
from tests.persistence.connectors.test_smb import login, path_of
from tests.support.moto import MotoServer
from tests.support.samba import SambaServer, samba_server
from tests.support.sources import opened

__all__ = ["samba_server", "tree"]


def test_a_bucket_is_copied_to_be_read_and_the_copy_is_gone_afterwards(moto_server: MotoServer, tmp_path: Path) -> None:
    parquet = put_parquet(
        tmp_path, "x.parquet", "select range id, md5(range::varchar) word from range(300000)"
    ).read_bytes()
    bucket = moto_server.bucket(
        {
            "people.csv": b"id;name\n1;Ann\n2;Bob\n",
            "lake/t/day=2024-01-01/x.parquet": parquet,
            "lake/t/day=2024-01-02/x.parquet": parquet,
        }
    )
    config, key = place_of(moto_server, bucket), key_of(moto_server)
    with opened("s3", config, key, source_scratch=str(tmp_path)) as connector, connector.source() as source:
        assert source.ask(exp.select("*").from_(source.relation(bucket, "root", "people"))) == [
            (1, "Ann"),
            (2, "Bob"),
        ]
        lake = source.relation(bucket, "lake", "t")
        count = sqlglot.parse_one(
            f'select "day"::varchar, count(*), max("id") from "main"."{lake.name}" group by 1 order by 1',
            dialect="duckdb",
        )
        assert source.ask(count) == [("2024-01-01", 300_000, 299_999), ("2024-01-02", 300_000, 299_999)]
        known = source.statistics(bucket, "lake", "t")
        assert known is not None
        assert known.row_count == 600_000
        assert len([entry for entry in tmp_path.iterdir() if entry.name.startswith("stoa-data-")]) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.parquet"]


def test_a_table_that_is_too_large_to_be_copied_is_refused_before_a_byte_is_read(moto_server: MotoServer) -> None:
    bucket = moto_server.bucket({"big.csv": b"a\n" + b"1\n" * 600_000, "small.csv": b"a\n1\n"})
    config, key = place_of(moto_server, bucket), key_of(moto_server)
    with opened("s3", config, key, source_copy_bytes=1 << 20) as connector, connector.source() as source:
        with pytest.raises(ConnectorError, match="STOA_SOURCE_COPY_BYTES") as refused:
            source.relation(bucket, "root", "big")
        assert refused.value.kind == "failed"
        assert source.ask(exp.select("*").from_(source.relation(bucket, "root", "small"))) == [(1,)]


def test_what_unpacks_to_more_than_may_be_copied_is_refused(tree: Path) -> None:
    put(tree, "bomb.csv.gz", gzip.compress(("a\n" + "1\n" * 2_000_000).encode("utf-16")))
    with (
        reading(tree, source_copy_bytes=1 << 20) as source,
        pytest.raises(ConnectorError, match="STOA_SOURCE_COPY_BYTES"),
    ):
        source.relation("warehouse", "root", "bomb")


def test_a_share_is_copied_to_be_read(samba_server: SambaServer) -> None:
    put(samba_server.folder, "reading/people.csv", "id,name\n1,Ann\n")
    put_parquet(samba_server.folder, "reading/t.parquet", "select range id, md5(range::varchar) w from range(100000)")
    path = f"{path_of(samba_server)}/reading"
    with opened("smb", {"path": path}, login(samba_server)) as connector, connector.source() as source:
        name = connector.schemas()[0].database
        assert source.ask(exp.select("*").from_(source.relation(name, "root", "people"))) == [(1, "Ann")]
        count = exp.select(exp.func("count", exp.Star())).from_(source.relation(name, "root", "t"))
        assert source.ask(count) == [(100_000,)]


def test_copying_is_stopped_by_cancelling(moto_server: MotoServer) -> None:
    bucket = moto_server.bucket({"big.csv": b"a\n" + b"1\n" * 6_000_000})
    with opened("s3", place_of(moto_server, bucket), key_of(moto_server)) as connector, connector.source() as source:
        connector.store().open = stopping(connector)
        with pytest.raises(ConnectorError) as stopped:
            source.relation(bucket, "root", "big")
    assert stopped.value.kind == "cancelled"


def stopping(connector: Any) -> Any:
    """An `open` of the store that cancels at the second piece."""
    usual = connector.store().open

    @contextmanager
    def opening(file: Any) -> Iterator[Any]:
        with usual(file) as reader:
            read = reader.read

            def counted(offset: int, length: int) -> bytes:
                if offset:
                    connector.cancel()
                return bytes(read(offset, length))

            reader.read = counted
            yield reader

    return opening
