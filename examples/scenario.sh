#!/usr/bin/env bash
# The scenario with curl: what travels, and nothing else. Needs STOA_URL and STOA_TOKEN; `serve.sh` prints both.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
url=${STOA_URL:-http://127.0.0.1:8000}
folder=${STOA_EXAMPLE_FOLDER:-$here/shop}
key=$(date +%s)-$$
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One request; prints the body of its answer, and fails when the answer is an error.
send() {
  local method=$1 path=$2
  shift 2
  curl --silent --show-error --fail-with-body --request "$method" "$url$path" \
    --header "Authorization: Bearer ${STOA_TOKEN:?}" ${project:+--header "X-Project-ID: $project"} "$@"
}

# A field of the JSON on standard input, by its path, such as `data.0.id`.
field() {
  python3 -c '
import json, sys
value = json.load(sys.stdin)
for part in sys.argv[1].split("."):
    value = value[int(part)] if isinstance(value, list) else value[part]
print(value)' "$1"
}

json='Content-Type: application/json'
project=

organization=$(send GET /governance/organizations | field data.0.id)
echo "organization: $organization"

# The same Idempotency-Key twice: the second request answers what the first one did.
body='{"name": "Shop '$key'"}'
first=$(send POST /governance/projects -H "$json" -H "Idempotency-Key: $key" -d "$body" | field id)
again=$(send POST /governance/projects -H "$json" -H "Idempotency-Key: $key" -d "$body" | field id)
[ "$first" = "$again" ]
echo "project: created once by two requests"
project=$first

uri=$(send POST /assets/data -H "$json" -d '{
  "name": "Shop files", "connection_type": "nfs", "filesystem_config": {"path": "'"$folder"'"}}' | field resource_uri)
send POST "/assets/data/$uri/verify" >"$work/verification"
status=$(send GET "/assets/data/$uri" | field status)
echo "connection: Shop files, $status"

pack=$(send POST /utils/context-packs -H "$json" -d '{"name": "Shop", "pack_type": "project"}' | field id)
memory='{"context_pack_id": "'$pack'", "name": "Totals", "memory_type": "fact",
  "content": {"type": "text", "text": "Totals are in euros."}}'
first=$(send POST /utils/memories -H "$json" -d "$memory" | field id)
again=$(send POST /utils/memories -H "$json" -d "$memory" | field id)
[ "$first" = "$again" ]
stored=$(send GET "/utils/memories?context_pack_id=$pack" | field pagination.total_items)
echo "memory: Totals, added twice, stored $stored time"

file=$(send POST /assets/files -F key=orders.csv -F name=Orders -F "file=@$folder/orders.csv;type=text/csv" |
  field resource_uri)
send GET "/assets/files/$file/download" >"$work/orders.csv"
cmp "$work/orders.csv" "$folder/orders.csv"
echo "file: orders.csv, $(wc -c <"$work/orders.csv") bytes up and the same bytes down"

configuration=$(send POST /data-readiness/workflows -H "$json" -d '{
  "name": "Read the shop", "workflow_type": "service-ingestion", "config": {"resource_uri": "'"$uri"'"}}' | field id)
runs=/data-readiness/workflows/$configuration/runs
run=$(send POST "$runs" -H "$json" -d '{}' | field id)
status=pending
while [ "$status" = pending ] || [ "$status" = running ]; do
  sleep 0.2
  status=$(send GET "$runs/$run" | field status)
done
echo "run: $status"

found=$(send GET "/utils/search/metadata?q=orders&asset_type=table")
echo "search: $(field pagination.total <<<"$found") table," \
  "$(field results.0.name <<<"$found") with $(field results.0.column_count <<<"$found") columns"

# The key is taken. `|| true`: this error is what we want to see.
refused=$(send POST /assets/files -F key=orders.csv -F name=Orders -F "file=@$folder/orders.csv" 2>/dev/null || true)
code=$(field error.code <<<"$refused")
echo "error: $code"
