"""A task of the week: what people do is done here, as the hub's first admin, and what Iris does over MCP."""

from typing import Any

from django.contrib.auth import get_user_model

from core.actor import Actor
from hubsite.demo.client import DemoAgent
from knowledge.operations import create_document, publish_document
from tasks import preflight
from tasks.operations import create_task
from tasks.queries import task_of

_DEPOSITS = """\
# Deposits

A deposit goes back in full until 48 hours before arrival. After that, half of it goes back; from the day of arrival on,
none of it does (HAR-198).

## Who decides

The harbour master may give back more. That is noted on the booking, never in the invoice.
"""
_TEXT = """\
Guests ask when their deposit goes back, and we answer each of them by hand.

Write **one paragraph** that can go into the confirmation mail. Nothing that we do not promise.
"""


def first_admin() -> Actor | None:
    """Answer the person the task is for; None on a hub without one."""
    people = get_user_model().objects.filter(is_active=True, is_staff=True, is_superuser=True)
    person = people.order_by("pk").first()
    return Actor("human", person.get_username(), person.pk, trusted=True) if person else None


def hand_over(person: Actor, iris: DemoAgent) -> None:
    """Publish what is known of deposits, and let Iris write the paragraph."""
    source = {"kind": "url", "url": "https://www.iso.org/iso-8601-date-and-time-format.html", "title": "What a day is"}
    known: dict[str, Any] = {"title": "When a deposit goes back", "body": _DEPOSITS, "cited": [source]}
    document = create_document(person, iris.project, **known, idempotency_key="demo-document")["document"]
    publish_document(person, iris.project, document=document, expected_revision=1, idempotency_key="demo-publish")
    asked: dict[str, Any] = {
        "title": "A paragraph on deposits for the confirmation mail",
        "text": _TEXT,
        "agent": iris.name,
    }
    steps = [{"kind": "research"}, {"kind": "report"}]
    created = create_task(person, iris.project, **asked, nodes=steps, idempotency_key="demo-task")
    preflight.prepared(person, task_of(person, created["task"]), created)

    iris.start(iris.project, "deposits", task=created["task"])
    task = iris.call("task_get", task=created["task"])
    under = {"delegation": task["delegation"]["id"]}
    hits = iris.call("knowledge_recall", **under, query="when does a deposit go back in full")["hits"]
    iris.call("knowledge_read", **under, document=hits[0]["document"])
    iris.note(
        "/fs/paragraph.md",
        "You get your deposit back in full until 48 hours before you arrive, and half of it until the day itself.\n",
    )
    learned = [
        {"kind": "preference", "text": "Texts for guests are one paragraph, and promise nothing that is not written."},
        {"kind": "fact", "text": "The confirmation mail is the place where guests look for the deposit."},
    ]
    iris.complete(created["task"], task["revision"], learned)
    iris.end("The paragraph is in the brain: /fs/paragraph.md.")
