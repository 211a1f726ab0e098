"""Defines what a store raises when a row would break one of its rules, such as that a name stands once in a project."""

from sqlalchemy.exc import IntegrityError

__all__ = ["IntegrityError"]
