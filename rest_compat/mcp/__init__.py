"""The door for agents: the Model Context Protocol, onto the same operations as REST and the graph.

`bounded.py` cuts answers and says so, `operations.py` finds, shows and calls operations, `tools.py` is the table of
tools, `following.py` has those for what goes on by itself, `protocol.py` speaks JSON-RPC, `endpoint.py` is `/mcp`
over HTTP, and `stdio.py` the same over two pipes.
"""
