"""Generate the package `stoa_client` beside this file from the published OpenAPI documents.

The services publish one document each. A client of all of them is easier to hold, so they are put together first;
what two documents name alike and describe differently keeps the service's name in front.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
PUBLISHED = HERE.parents[1] / "rest_compat" / "openapi"


def adapted(node: Any, names: dict[str, str]) -> Any:
    """The same, with references to some schemas under their new names.

    OpenAPI 3.0 wants a type beside `nullable`; beside a reference the generator reads null only where there is none.
    """
    if isinstance(node, list):
        return [adapted(item, names) for item in node]
    if isinstance(node, dict):
        left_out = {"type"} if node.get("nullable") is True and "allOf" in node else set()
        return {
            key: names.get(item, item) if key == "$ref" else adapted(item, names)
            for key, item in node.items()
            if key not in left_out
        }
    return node


def together(documents: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One document of several."""
    whole: dict[str, Any] = {"openapi": "3.0.3", "info": {"title": "Stoa", "version": ""}, "paths": {}}
    components: dict[str, Any] = whole.setdefault("components", {})
    for service, document in sorted(documents.items(), key=lambda one: one[0] == "data-readiness"):
        schemas = components.setdefault("schemas", {})
        prefix = "#/components/schemas/"
        names = {
            prefix + name: prefix + "".join(word.title() for word in service.split("-")) + name
            for name, schema in document["components"]["schemas"].items()
            if schemas.get(name, schema) != schema
        }
        document = adapted(document, names)
        for kind, parts in document["components"].items():
            for name, part in parts.items():
                new = names.get(prefix + name, prefix + name).removeprefix(prefix) if kind == "schemas" else name
                components.setdefault(kind, {})[new] = part if new == name else part | {"title": new}
        whole["info"]["version"] = document["info"]["version"]
        whole["security"] = document["security"]
        whole["paths"] |= document["paths"]
    return whole


def main() -> None:
    """Write the package."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--documents", type=Path, default=PUBLISHED, help="the folder of the published documents")
    options.add_argument("--target", type=Path, default=HERE / "stoa_client", help="the folder of the package")
    given = options.parse_args()
    documents = {path.stem: json.loads(path.read_text()) for path in sorted(given.documents.glob("*.json"))}
    if not documents:
        sys.exit(f"There are no documents in {given.documents}.")
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "stoa.json"
        whole.write_text(json.dumps(together(documents)))
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(whole)]
        command += ["--config", str(HERE / "config.yaml"), "--meta", "none", "--overwrite", "--fail-on-warning"]
        sys.exit(subprocess.run([*command, "--output-path", str(given.target)], check=False).returncode)


if __name__ == "__main__":
    main()
