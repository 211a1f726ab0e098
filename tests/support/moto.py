"""An S3 server for tests: moto on a free port of 127.0.0.1, with its permission and signature checks on.

The server lives in the test process, so each process of pytest-xdist has its own.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.support.needs import missing


@dataclass
class MotoServer:
    """A running server, an administrator's key and a key that may do nothing."""

    endpoint_url: str
    access_key_id: str
    secret_access_key: str
    powerless: tuple[str, str] = ("", "")
    client: Any = field(default=None, repr=False)
    """A boto3 client of the administrator."""

    def bucket(self, objects: dict[str, bytes] | None = None, *, region: str = "us-east-1") -> str:
        """Make a bucket with these objects and return its name."""
        name = f"stoa-{secrets.token_hex(6)}"
        extra = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        self.client.create_bucket(Bucket=name, **extra)
        for key, body in (objects or {}).items():
            self.client.put_object(Bucket=name, Key=key, Body=body)
        return name


@pytest.fixture(scope="session")
def moto_server() -> Iterator[MotoServer]:
    """A running server. Import this fixture, or name this module in `pytest_plugins`."""
    try:
        import boto3
        from moto.server import ThreadedMotoServer
    except ImportError:
        missing("moto", "pip install 'moto[server]'")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"

        def client(service: str, key: tuple[str, str]) -> Any:
            return boto3.client(
                service,
                endpoint_url=url,
                region_name="us-east-1",
                aws_access_key_id=key[0],
                aws_secret_access_key=key[1],
            )

        iam = client("iam", ("setup", "setup"))
        keys = []
        for user in ("owner", "powerless"):
            iam.create_user(UserName=user)
            made = iam.create_access_key(UserName=user)["AccessKey"]
            keys.append((made["AccessKeyId"], made["SecretAccessKey"]))
        allow = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'
        iam.put_user_policy(UserName="owner", PolicyName="all", PolicyDocument=allow)
        # From here on every request must be signed by a user who may do it.
        httpx.post(f"{url}/moto-api/reset-auth", content="0").raise_for_status()
        yield MotoServer(url, *keys[0], powerless=keys[1], client=client("s3", keys[0]))
    finally:
        server.stop()
