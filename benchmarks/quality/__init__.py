"""Defines how good the engines are, measured on data that a reader can get."""
