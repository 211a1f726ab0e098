"""Defines how a question is answered: the port to whoever answers, and the engine that does, step by step."""
