"""Checks of data, pushed down into the store: how many rows or values keep to what is expected, out of how many."""
