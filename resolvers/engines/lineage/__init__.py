"""From a SQL statement to the columns that each column of its answer depends on.

`statements` parses a text and tells its target and its query apart; `names` gives every name its meaning, by the binder
of the SQL guard; `flows` follows values through expressions and `queries` through joins, groups and unions; `graph`
puts statements together. What is not understood is a named gap, and never an edge.
"""

from resolvers.engines.lineage.flows import Kind
from resolvers.engines.lineage.graph import Reach, reach
from resolvers.engines.lineage.statements import Edge, Gap, StatementLineage, lineage_of

__all__ = ["Edge", "Gap", "Kind", "Reach", "StatementLineage", "lineage_of", "reach"]
