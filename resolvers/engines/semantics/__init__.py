"""Semantic models of other tools: measures, joins and words, read into memories and written out of them.

`dbt`, `cube` and `ossie` read a document each into a `Model`, whose datasets are not looked up yet. `binding` gives
its names their meaning in the catalog and makes memories of it. `ossie_writing` and `odcs_writing` go the other way,
from the memories of a pack that `exporting` has bound.
"""
