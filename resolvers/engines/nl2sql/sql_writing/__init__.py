"""From a plan to a query, of the same meaning in every dialect."""
