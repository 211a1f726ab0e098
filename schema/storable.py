"""The name by which bodies were told apart whose every field can be stored, as those of every `Change` now are."""

from schema.base import Change

Storable = Change
