"""Defines which cells of a table are probably wrong, told from the table alone: no labels and no hand-written rules."""
