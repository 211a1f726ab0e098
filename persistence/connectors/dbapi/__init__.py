"""Databases that are reached through a driver of their own, by Python's DB-API."""
