"""The second drafter: a chart parser over a lattice of segments. It runs in shadow of the planner, in measurements."""
