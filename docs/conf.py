"""How `make docs` builds these pages with Sphinx: every warning fails, and a broken link or anchor is one."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from docutils import nodes

CHECKOUT = Path(__file__).parents[1]

project = "Stoa"
html_title = "Stoa"
html_theme = "furo"
html_favicon = str(CHECKOUT / "rest_compat" / "static" / "stoa.svg")
html_copy_source = html_show_sourcelink = html_use_index = html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5e8c", "color-brand-content": "#1b5e8c"},
    "dark_css_variables": {"color-brand-primary": "#7db8e8", "color-brand-content": "#7db8e8"},
}
pygments_style, pygments_dark_style = "friendly", "monokai"
extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def _outside(_app: Any, _environment: Any, reference: Any, text: nodes.Element) -> nodes.Element | None:
    """Show a link to a file of the checkout outside of these pages as text: a server of the site has no such file.

    One to a file that is not there stays a broken link.
    """
    target = str(reference.get("reftarget", "")).partition("#")[0]
    page = Path(__file__).parent / str(reference.get("refdoc", ""))
    file = (page.parent / target).resolve()
    return text if target and file.exists() and file.is_relative_to(CHECKOUT) else None


def _scripts_into_files(app: Any, failure: Exception | None) -> None:
    """Put what stands in the pages as script into files: the server's Content-Security-Policy allows no other."""
    if failure is not None:
        return
    folder = Path(app.outdir)
    for page in folder.rglob("*.html"):
        up = "../" * (len(page.relative_to(folder).parts) - 1)

        def moved(found: "re.Match[str]", up: str = up) -> str:
            name = f"_static/{sha256(found[1].encode()).hexdigest()[:16]}.js"
            (folder / name).write_text(found[1], "utf-8")
            return f'<script src="{up}{name}"></script>'

        page.write_text(_INLINE.sub(moved, page.read_text("utf-8")), "utf-8")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("missing-reference", _outside)
    app.connect("build-finished", _scripts_into_files)
