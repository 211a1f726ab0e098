"""Paths whose bodies are bytes: uploads as a form with a file, downloads with ranges."""

from rest_compat.route import OperationRoute


class UploadRoute(OperationRoute):
    """A route that takes a form with a file."""


class DownloadRoute(OperationRoute):
    """A route that answers with bytes."""
