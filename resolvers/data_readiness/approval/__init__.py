"""Proposals: how work writes them down, what people decide about them, and what approval does."""
