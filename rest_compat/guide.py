"""The guide at `/docs/guide`: the pages of `docs/`, as `make docs` has built them into this package."""

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Scope

from rest_compat.pages import PAGE_HEADERS, KeptFiles, root_of, unbuilt_guide
from rest_compat.visits import is_visit
from schema.errors import NotFound

GUIDE_FOLDER = Path(__file__).parent / "guide"
PATH = "/docs/guide"


class GuideMissing(NotFound):
    """Raised where the server has no guide, or the guide has no such page."""

    def __init__(self, page: str) -> None:
        super().__init__("page", page)
        if built():
            self.message = f"The guide has no page {page[:200]!r}. Its first page is {PATH}/."
        else:
            self.message = (
                "The guide has not been built on this server. In the checkout, run `make docs`; the server need not be "
                "restarted."
            )


def built() -> bool:
    """Return whether the guide is there."""
    return (GUIDE_FOLDER / "index.html").is_file()


def guide_routes() -> list[BaseRoute]:
    """Return the routes of the guide, none of which needs a token."""

    async def entry(request: Request) -> Response:
        if not built():
            return _unbuilt(request)
        return RedirectResponse(f"{root_of(request)}{PATH}/", 308, PAGE_HEADERS)  # its links are relative

    return [Route(PATH, entry, name="guide"), Mount(PATH, GZipMiddleware(_Guide(), compresslevel=5))]


def _unbuilt(request: Request) -> Response:
    """Return a page to a browser. Raises GuideMissing for a program, which reads an error."""
    if is_visit(request):
        return unbuilt_guide(request)
    raise GuideMissing("")


class _Guide(KeptFiles):
    """Serves the built files; the pages have the headers of all pages."""

    def __init__(self) -> None:
        super().__init__(check_dir=False)  # one that is named would have to be there when the first request comes

    async def get_response(self, path: str, scope: Scope) -> Response:
        self.all_directories = [GUIDE_FOLDER]
        try:
            response = await super().get_response("index.html" if path == "." else path, scope)
        except HTTPException as error:
            if error.status_code == 404:
                if not built():
                    return _unbuilt(Request(scope))
                raise GuideMissing("" if path == "." else path) from None
            raise
        if response.headers.get("content-type", "").startswith("text/html"):
            response.headers.update(PAGE_HEADERS)
        return response
