"""Defines what the utils service speaks of: the metadata catalog, schedules, context packs and memories."""
