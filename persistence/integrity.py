"""Defines what a store raises when a row would break one of its rules, such as that a name stands once in a project.

Rooms above know it by this name: the contract that keeps SQL in persistence can only forbid a library as a whole.
"""

from sqlalchemy.exc import IntegrityError

__all__ = ["IntegrityError"]
