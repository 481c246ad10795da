"""Functions as a web application: JSON goes in and comes out, pages come as HTML.

What the functions do is not known here. A :class:`PipelineError` that one raises is an answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.adapters.web.guarding import LARGEST, Guard
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_UNPROCESSABLE = 422


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What is served: pages by name, and functions that take and give JSON."""

    frame: Callable[[str], str]  # the HTML of a page
    actions: Mapping[str, Callable[[Any], Any]]
    chinese: Callable[[str], str]  # of a sentence of an error, as far as there is any


def application(
    static: Path, site: Callable[[], Site], *, port: int, token: str
) -> Guard:
    """The application, guarded. It answers at ``/TOKEN/…`` only.

    ``site`` is called at each question, and may take its time with the first: files of ``static``
    are given out meanwhile.
    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import FileResponse, HTMLResponse, JSONResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    async def index(_: Request) -> Response:
        return FileResponse(static / "index.html")

    async def frame(request: Request) -> Response:
        made = await run_in_threadpool(site)
        try:
            name = request.path_params["page"]
            return HTMLResponse(await run_in_threadpool(made.frame, name))
        except PipelineError as error:
            return JSONResponse(_told(error, made.chinese), _UNPROCESSABLE)

    async def action(request: Request) -> Response:
        made = await run_in_threadpool(site)
        function = made.actions.get(request.path_params["name"])
        if function is None:
            return JSONResponse({"error": "there is no such action"}, 404)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST:  # whatever its header says
                return JSONResponse({"error": "that is too long"}, 413)
        try:
            words = json.loads(body)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "that is no JSON"}, 400)
        try:
            answer = await run_in_threadpool(function, words)
        except PipelineError as error:
            return JSONResponse(_told(error, made.chinese), _UNPROCESSABLE)
        # A catalogue may hold half a character: "\ud83d" in JSON, and nothing in UTF-8.
        return HTMLResponse(json.dumps(answer), media_type="application/json")

    routes = [
        Route("/", index),
        Route("/frame/{page:path}", frame),
        Route("/api/{name}", action, methods=["POST"]),
        Mount("/static", StaticFiles(directory=static)),
    ]
    return Guard(Starlette(routes=routes), port=port, token=token)


def _told(error: PipelineError, chinese: Callable[[str], str]) -> dict[str, Any]:
    """An error as JSON, in both languages: what happened, where, what to do."""
    return {
        "error": error.what,
        "where": error.where,
        "hint": error.hint,
        "chinese": {"error": chinese(error.what), "hint": chinese(error.hint)},
    }
