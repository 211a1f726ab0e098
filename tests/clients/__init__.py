"""Clients generated from the published documents, held against a real server."""
