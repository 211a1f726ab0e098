"""Defines what a language model is told, what is kept from it, and what of its answer is taken."""
