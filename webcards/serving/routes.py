"""The addresses that machines ask, `/healthz`, `/readyz` and `/metrics`, and those that people may take for a page's."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from webcards.serving.metrics import CONTENT_TYPE, Metrics
from webcards.serving.readiness import Readiness

HEALTHZ, READYZ, METRICS = "/healthz", "/readyz", "/metrics"
_UNCACHED = {"Cache-Control": "no-store"}


def machine_routes(readiness: Readiness, metrics: Metrics) -> list[Route]:
    """The routes. Who may ask for the metrics is the guard's business (guards.py)."""

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n", headers=_UNCACHED)

    async def readyz(_: Request) -> Response:
        if await readiness.ready():
            return PlainTextResponse("ready\n", headers=_UNCACHED)
        return PlainTextResponse("not ready: the database does not answer\n", status_code=503, headers=_UNCACHED)

    async def exposed(_: Request) -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE, headers=_UNCACHED)

    return [Route(HEALTHZ, healthz), Route(READYZ, readyz), Route(METRICS, exposed)]


def page_routes() -> list[Route]:
    """What a page's own address needs that Streamlit does not have.

    `/run` leads to the first page, with all that was asked: Streamlit knows the first page by no name, and would say that
    there is no such page. And a browser that opens `/compare` is told without an error that the app is not served from
    below there: Streamlit's page always looks there first, and each 404 would be an error in the browser's console.
    """

    async def first_page(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        # Relative, so that it holds behind a proxy that serves the app from a path of its own.
        return RedirectResponse(f"./{query}", status_code=307, headers=_UNCACHED)

    async def not_below(_: Request) -> Response:
        # No success, so that the page looks on; and no 4xx, of which browsers complain.
        return Response(status_code=300, headers=_UNCACHED)

    looked_for = [Route(f"/{{page}}/_stcore/{name}", not_below) for name in ("health", "host-config")]
    return [Route("/run", first_page), *looked_for]
