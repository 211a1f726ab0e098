"""What a contributor meets first: hooks that fetch nothing, a workflow that runs `.ci/run`, forms that can be read."""

from typing import Any

import pytest
import yaml

from tests.support.server import ROOT

FORMS = sorted(file for file in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if file.stem != "config")


def read(path: str) -> Any:
    """A file of YAML."""
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def test_the_hooks_call_the_tools_of_the_checkout_and_fetch_nothing() -> None:
    repositories = read(".pre-commit-config.yaml")["repos"]
    assert {repository["repo"] for repository in repositories} == {"local"}
    hooks = [hook for repository in repositories for hook in repository["hooks"]]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for tool in ("ruff format", "ruff check", "mypy", "lint-imports"):
        assert tool in makefile
        assert any(tool in hook["entry"] for hook in hooks), f"`make check` runs {tool}, and no hook does"


def test_the_workflow_runs_what_has_to_hold() -> None:
    steps = read(".github/workflows/ci.yml")["jobs"]["everything"]["steps"]
    assert steps[-1] == {"run": ".ci/run"}
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100


@pytest.mark.parametrize("form", FORMS, ids=[form.stem for form in FORMS])
def test_a_form_asks_for_something(form: Any) -> None:
    told = yaml.safe_load(form.read_text("utf-8"))
    assert {"name", "description", "body"} <= told.keys()
    asked = [field for field in told["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in asked}) == len(asked)
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)
