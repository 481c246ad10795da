"""What execution means, without running anything: key, expectations, blame, and where outputs go.

A notebook is the plain value of its JSON. An *outputs notebook* holds only what a run adds: the code
cells with sources, outputs and counts. It carries no times, ids or papermill metadata.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pipeline.core.execution.portable import portable_outputs
from pipeline.core.execution.result import CellFailure
from pipeline.errors import GuardError, InputError

Notebook = Mapping[str, Any]

FORMAT = 2  # raise it when entries of the cache change their meaning
RAISES = "raises-exception"
SKIP = "skip-execution"
ENVIRONMENT_ERRORS = frozenset(
    "ModuleNotFoundError ImportError URLError HTTPError ConnectionError ConnectionRefusedError ConnectionResetError ConnectionAbortedError "
    "ConnectTimeout ReadTimeout MaxRetryError NewConnectionError NameResolutionError ProxyError SSLError gaierror timeout TimeoutError "
    "DeadKernelError CellTimeoutError PageTimeout MemoryLimit OutputLimit WorkerDied NoSuchKernel MemoryError".split()
)
MISSING = re.compile(
    r"unknown backend|no (\w+ )?(gpu|tpu|cuda|accelerator)\b|(gpu|tpu|cuda)s?( devices?)?( is| are)?( not\b| required| needed|\.?$)"
    r"|more than one device|nvidia-smi|libtpu|interpret mode is supported on cpu|this run is offline",
    re.I,
)
# Of pages of JAX 0.10 on a CPU. Good enough to begin with what takes long.
SECONDS_TO_START = 1.0
SECONDS_PER_CELL = 0.1
SECONDS_PER_TIMING = (
    2.5  # %timeit repeats a line, or a cell, until that is long enough to be measured
)
COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def parse_notebook(text: str | bytes, *, where: str) -> dict[str, Any]:
    """The value of a notebook's JSON, with as much shape as execution relies on. Raises InputError."""
    hint = "Mend the file, or leave the page out of the selection."
    try:
        notebook: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid JSON: {error}", where=where, hint=hint) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if (
        not isinstance(notebook, dict)
        or not isinstance(cells, list)
        or not all(isinstance(cell, dict) for cell in cells)
    ):
        raise InputError("is not a notebook of format 4", where=where, hint=hint)
    return notebook


def code_cells(notebook: Notebook) -> tuple[int, ...]:
    """Positions of the code cells among all cells."""
    return tuple(
        index for index, cell in enumerate(notebook["cells"]) if cell.get("cell_type") == "code"
    )


def source_of(cell: Mapping[str, Any]) -> str:
    """A cell's source as one string: the format allows a list of lines too."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def tags_of(cell: Mapping[str, Any]) -> tuple[str, ...]:
    """A cell's tags; none where the metadata are missing or odd."""
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return tuple(str(tag) for tag in tags) if isinstance(tags, list) else ()


def is_run(cell: Mapping[str, Any]) -> bool:
    """Whether a code cell is sent to the kernel at all."""
    return bool(source_of(cell).strip()) and SKIP not in tags_of(cell)


def kernel_of(notebook: Notebook) -> tuple[str, str]:
    """Kernel name and language; a notebook that states neither is Python, as the format's habit is."""
    metadata = notebook.get("metadata") or {}
    kernel = metadata.get("kernelspec") or {}
    name = str(kernel.get("name") or "python3")
    language = kernel.get("language") or (metadata.get("language_info") or {}).get("name")
    return name, str(language or ("python" if name.startswith("python") else "")).lower()


def execution_key(
    notebook: Notebook,
    *,
    policy: Mapping[str, Any],
    data: Mapping[str, str],
    environment: Mapping[str, str],
) -> str:
    """Digest of all that decides what a run prints. Prose, ids, stored outputs and places in the file system are not part of it.

    ``policy`` is how it is run (a plain value); ``data`` are digests of the files that the code can read, by name;
    ``environment`` are the facts about interpreter and packages.
    """
    cells = [notebook["cells"][index] for index in code_cells(notebook)]
    code = [[source_of(cell), sorted(tags_of(cell))] for cell in cells]
    facts = [FORMAT, code, kernel_of(notebook)[0], policy, data, environment]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode("ascii")).hexdigest()


def outputs_of(executed: Notebook) -> dict[str, Any]:
    """Reduce a notebook that was run to its outputs notebook."""
    metadata = executed.get("metadata", {})
    return {
        "cells": [_outputs_of_cell(executed["cells"][index]) for index in code_cells(executed)],
        "metadata": {key: metadata[key] for key in ("language_info", "widgets") if key in metadata},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def _outputs_of_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": cell.get("execution_count"),
        "metadata": {"tags": list(tags_of(cell))},
        "outputs": cell.get("outputs", []),
        "source": source_of(cell),
    }


def unmet_expectations(
    outputs: Notebook, *, acknowledged: Collection[int] = (), until: int = 0
) -> tuple[int, ...]:
    """Numbers (code cells, from 1) of tagged cells that ran without raising, but for those ``acknowledged``.

    ``until`` is the number of the first cell that was not to run; 0: all were.
    """
    return tuple(
        number
        for number, cell in enumerate(outputs["cells"], start=1)
        if RAISES in tags_of(cell)
        and is_run(cell)
        and is_before(number, until)
        and not exception_of(cell)
        and number not in acknowledged
    )


def is_before(number: int, until: int) -> bool:
    """Whether code cell ``number`` (from 1) is one of those that run if ``until`` is the first that does not; 0: all run."""
    return not until or number < until


def is_partial(notebook: Notebook, until: int) -> bool:
    """Whether code is left out if code cell ``until`` and all after it are not run."""
    numbered = enumerate(code_cells(notebook), start=1)
    return any(
        not is_before(number, until) and is_run(notebook["cells"][index])
        for number, index in numbered
    )


def exception_of(cell: Mapping[str, Any]) -> str:
    """The type of the exception that a cell ended with, or nothing."""
    errors = (output for output in cell["outputs"] if output.get("output_type") == "error")
    return next((str(error.get("ename") or "Exception") for error in errors), "")


def expected_exceptions(outputs: Notebook) -> tuple[tuple[int, str], ...]:
    """Number (code cells, from 1) and type of the exception of each cell that raised and was expected to."""
    numbered = (
        (number, cell)
        for number, cell in enumerate(outputs["cells"], start=1)
        if RAISES in tags_of(cell)
    )
    return tuple((number, name) for number, cell in numbered if (name := exception_of(cell)))


def expectation_failure(notebook: Notebook, numbers: Sequence[int]) -> CellFailure:
    """The failure of the code cells ``numbers`` (from 1): tagged to raise, and did not. It is filed under the first."""
    index = code_cells(notebook)[numbers[0] - 1]
    subject = (
        f"code cell {numbers[0]} is"
        if len(numbers) == 1
        else f"code cells {', '.join(map(str, numbers))} are"
    )
    return CellFailure(
        cell=index,
        source=source_of(notebook["cells"][index]),
        exception="NoException",
        message=f"{subject} tagged {RAISES} and did not raise",
        traceback="",
        blame="expectation",
    )


def cell_failure(
    cell: int, source: str, *, exception: str, message: str, traceback: str
) -> CellFailure:
    """The record of an exception, with the blame laid. Its traceback keeps its colours, for the report that shows them."""
    message = without_colours(message)
    return CellFailure(
        cell=cell,
        source=source,
        exception=exception,
        message=message,
        traceback=traceback,
        blame=blame_of(exception, message),
    )


def blame_of(exception: str, message: str) -> str:
    """Whose problem an exception is: the ``environment``'s (package, network, device, kernel, limits) or ``upstream``'s."""
    is_ours = exception.rpartition(".")[2] in ENVIRONMENT_ERRORS or MISSING.search(message)
    return "environment" if is_ours else "upstream"


def without_colours(text: str) -> str:
    """``text`` without terminal escape sequences."""
    return COLOURS.sub("", text)


def with_outputs(notebook: Notebook, outputs: Notebook, *, where: str) -> dict[str, Any]:
    """``notebook`` with the outputs of a run of the same code. Raises GuardError if the code differs."""
    indices = code_cells(notebook)
    if len(indices) != len(outputs["cells"]):
        raise _differs(f"{len(indices)} code cells instead of {len(outputs['cells'])}", where)
    cells = [dict(cell) for cell in notebook["cells"]]
    for number, (index, ran) in enumerate(zip(indices, outputs["cells"], strict=True), start=1):
        if source_of(cells[index]) != source_of(ran):
            raise _differs(
                f"code cell {number} is not the code that was run", f"{where}, cell {index}"
            )
        cells[index] |= {
            "outputs": portable_outputs(ran["outputs"]),
            "execution_count": ran["execution_count"],
        }
    metadata = {
        key: value for key, value in notebook.get("metadata", {}).items() if key != "widgets"
    }
    return {
        **notebook,
        "cells": with_ids(cells, notebook),
        "metadata": {**outputs["metadata"], **metadata},
    }


def with_ids(cells: list[dict[str, Any]], notebook: Notebook) -> list[dict[str, Any]]:
    """The cells, each with an id if the notebook's format wants ids (random ones would differ on every run), without if it forbids them."""
    if (notebook.get("nbformat", 4), notebook.get("nbformat_minor", 0)) < (4, 5):
        return [{key: value for key, value in cell.items() if key != "id"} for cell in cells]
    return [{"id": f"cell-{index}", **cell} for index, cell in enumerate(cells)]


def _differs(what: str, where: str) -> GuardError:
    return GuardError(
        f"the merged notebook has {what}",
        where=where,
        hint="Merge this page again; if it stays, report a bug of the pipeline.",
    )


def cells_run(notebook: Notebook, stop: CellFailure | None, *, until: int = 0) -> int:
    """How many code cells of ``notebook`` were sent to the kernel, given where the run stopped, or was to stop."""
    last = stop.cell if stop is not None and stop.blame != "expectation" else len(notebook["cells"])
    return sum(1 for index in _sent(notebook, until) if index <= last)


def _sent(notebook: Notebook, until: int) -> Iterator[int]:
    """The code cells that a run sends to the kernel if nothing stops it."""
    numbered = enumerate(code_cells(notebook), start=1)
    return (
        index
        for number, index in numbered
        if is_before(number, until) and is_run(notebook["cells"][index])
    )


def guess_seconds(notebook: Notebook, *, until: int = 0, cell: float = SECONDS_PER_CELL) -> float:
    """How long a run may take, from the code alone; ``cell`` is what most of its cells take."""
    sources = [source_of(notebook["cells"][index]) for index in _sent(notebook, until)]
    return (
        SECONDS_TO_START
        + cell * len(sources)
        + SECONDS_PER_TIMING * sum(source.count("%timeit") for source in sources)
    )


def for_readers(notebook: Notebook) -> dict[str, Any]:
    """An executed notebook without what ``remove-*`` tags keep from readers. The file itself stays whole: it is to be run, too."""
    return {
        **notebook,
        "cells": [
            _for_readers(cell) for cell in notebook["cells"] if "remove-cell" not in tags_of(cell)
        ],
    }


def _for_readers(cell: dict[str, Any]) -> dict[str, Any]:
    tags = tags_of(cell)
    if cell.get("cell_type") != "code" or not any(tag.startswith("remove-") for tag in tags):
        return cell
    hidden = [name for name in ("stdout", "stderr") if f"remove-{name}" in tags]
    outputs = [
        output
        for output in cell.get("outputs", [])
        if "remove-output" not in tags and output.get("name") not in hidden
    ]
    # nbconvert's templates leave out the source of a cell that is marked so.
    marks = {"transient": {"remove_source": True}} if "remove-input" in tags else {}
    return {**cell, "outputs": outputs, "metadata": {**cell["metadata"], **marks}}


def failure_summary(failure: CellFailure) -> str:
    """One line: where, what, whose."""
    first = failure.message.strip().split("\n")[0][:200]
    return f"cell {failure.cell}: {failure.exception}: {first} ({failure.blame})"


def failure_text(page: str, failure: CellFailure) -> str:
    """Several lines for a person: place, source of the cell, and the end of the traceback, without colours."""
    tail = without_colours(failure.traceback).strip().split("\n")[-20:]
    return "\n".join(
        [
            f"{page}, cell {failure.cell}: {failure.exception}: {failure.message.strip()}",
            f"  blame: {failure.blame}",
            *(f"  | {line}" for line in failure.source.split("\n")),
            *(f"  {line}" for line in tail if line.strip()),
        ]
    )
