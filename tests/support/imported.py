"""What a forked process of the tests begins with: the platform imported, and its graph built."""

import gc
import importlib

from schema.graph import build_graph

SOONER_OR_LATER = ("rest_compat.cli", "rest_compat.server", "rest_compat.setup", "dbos", "httptools", "uvloop")
"""What servers, workers and short commands import."""

for _name in SOONER_OR_LATER:
    importlib.import_module(_name)
build_graph()
gc.collect()
gc.freeze()  # what stands now is not walked through again in each process
