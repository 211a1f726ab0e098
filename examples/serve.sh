#!/usr/bin/env bash
# Serves Stoa for the examples: an organization `acme`, its owner `ann`, and the folder `shop` as a source to read.
# Prints what the clients need; Ctrl-C ends it. STOA_DATA, STOA_HOST and STOA_PORT mean what they always do.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export STOA_DATA=${STOA_DATA:-$here/stoa-data}
export STOA_FILESYSTEM_ROOTS=${STOA_FILESYSTEM_ROOTS:-$here/shop}
stoa=${STOA:-$here/../.venv/bin/stoa}

"$stoa" bootstrap --org acme --owner ann
echo "export STOA_URL=http://127.0.0.1:${STOA_PORT:-8000}"
echo "export STOA_TOKEN=$("$stoa" token --user ann --org acme)"
exec "$stoa" serve
