"""`/healthz`, `/readyz`, `/metrics`: for whoever runs the service."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access.caller import for_metrics
from api.contract.jsontext import WireResponse
from api.contract.responses import HealthOut, ReadyOut, problems
from api.observability.metrics import CONTENT_TYPE
from api.server.service import TheService

router = APIRouter(tags=["operations"])


@router.get("/healthz", response_model=HealthOut, responses=problems(429), summary="Check that the process is alive")
async def healthz() -> WireResponse:
    """Always 200 while the process can answer at all."""
    return WireResponse({"status": "ok"})


@router.get(
    "/readyz", response_model=ReadyOut, responses=problems(429, 503), summary="Check that searches can be answered"
)
async def readyz(service: TheService) -> WireResponse:
    """200 with the snapshot in use; 503 before there is one, while no thread is free to search, and while the process stops.

    ``problem`` says why a newer snapshot is not used, or that the disk is full. What was saved and is not searched yet keeps nobody from answering: it is only told.
    """
    live = service.live
    if problem := service.unready:
        raise problem
    state = {"behind_seconds": round(service.behind, 1), "set_aside": service.set_aside}
    return WireResponse({"status": "ready", "snapshot_id": live.snapshot_id, "problem": service.trouble, **state})


@router.get(
    "/metrics",
    summary="Get the counters for Prometheus",
    response_class=Response,
    responses=problems(401, 403, 429, 503),
    dependencies=[Depends(for_metrics)],
)
async def metrics(service: TheService) -> Response:
    """Requests, problems, verdicts, time by stage, what is in use: of all workers together.

    For this machine, for a key limited to `metrics`, and for administrators.
    """
    service.count()
    return Response(service.metrics.render(), media_type=CONTENT_TYPE)
