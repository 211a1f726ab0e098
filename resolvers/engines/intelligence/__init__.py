"""Defines how tables belong together, and what is remarkable about them: from keys, names and figures, without any
model.
"""
