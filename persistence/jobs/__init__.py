"""The durable job engine behind one port, and what goes with it: leases, heartbeats, work handed on."""
