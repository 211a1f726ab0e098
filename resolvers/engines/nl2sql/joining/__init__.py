"""Defines how tables are joined: the keys between them, and the cheapest way along them."""
