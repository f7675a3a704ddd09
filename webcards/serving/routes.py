"""The addresses that machines ask: `/healthz`, `/readyz` and `/metrics`."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
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
