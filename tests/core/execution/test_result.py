"""What is known of the run of a page."""

from __future__ import annotations

import pytest

from pipeline.core.execution.result import CellFailure, Execution, Status

FAILURE = CellFailure(
    cell=1, source="a", exception="E", message="", traceback="", blame=""
)


@pytest.mark.parametrize(
    ("status", "failure", "cached", "expected"),
    [
        (Status.PASSED, None, False, True),
        (Status.PARTIAL, None, False, True),
        (Status.PASSED, None, True, False),
        (Status.SKIPPED, None, False, False),
        (Status.FAILED, FAILURE, False, True),
        # It could not be read: no code of it has run.
        (Status.FAILED, None, False, False),
    ],
)
def test_whether_a_run_has_run_the_code_of_a_page(
    status: Status, failure: CellFailure | None, cached: bool, expected: bool
) -> None:
    page = Execution(page="a", status=status, failure=failure, cached=cached)
    assert page.ran_now is expected
