"""MinIO and other S3-compatible stores of one's own: S3's protocol at an endpoint that the connection names."""

from __future__ import annotations

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files.s3 import S3Connector
from persistence.connectors.files.store import FileStore

VERIFIED = "moto's S3 server, through the same client as s3; not against a MinIO server"


class MinioConnector(S3Connector):
    """Files of a MinIO bucket as tables."""

    kind = "minio"

    def open_store(self) -> FileStore:
        """Ask for the endpoint, without which S3 at Amazon would be meant."""
        if self.config.endpoint_url is None:
            raise ConnectorError(
                "bad_config", "Enter storage_config.endpoint_url, such as https://minio.example.com:9000."
            )
        return super().open_store()
