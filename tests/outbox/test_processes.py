"""MEM-08: four processes, a fifth of all deliveries goes wrong; each contribution is taken once and none is stuck."""

from benchmarks import outbox

ROWS = 150


def test_mem_08_four_processes_with_faults_take_each_contribution_once() -> None:
    told = outbox.measure(ROWS)
    assert told["states"] == {"pending": 0, "delivered": ROWS, "dead": 0, "discarded": 0}
    assert (told["receipts"], told["entries"], told["most_seen"]) == (ROWS, ROWS, 1)
    assert (told["tasks_completed"], told["items_left"]) == (ROWS, 0)
    assert sum(told["faults"].values()) > 0
    assert told["killed"] == told["faults"]["killed before"] + told["faults"]["killed after"]
    assert told["attempts"] > ROWS
