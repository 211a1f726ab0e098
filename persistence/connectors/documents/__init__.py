"""Stores of documents, as tables."""
