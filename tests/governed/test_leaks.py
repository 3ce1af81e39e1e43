"""GOV-06, GOV-08: whatever a reader or a shared agent asks, nothing tells of drafts, of failures or of what waits."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from core import live
from hubsite.agent_calls import calls, is_waiting
from hubsite.agent_schemas import input_schema
from inbox.models import InboxItem
from knowledge import switching
from knowledge.models import Document, DocumentVersion
from projects.models import Event
from search.models import SearchDocument
from tests.governed.desk import SOURCE, accepted, drafted, publish, published, saved
from tests.inprocess import HttpTools, HumanApi, Json
from tests.world import make_agent

MARKER = "zqxjk"
"""Stands in what readers may not have, and nowhere else; one token, whichever way it is folded."""
HIDDEN: Json = {
    "title": f"The {MARKER}",
    "body": f"# {MARKER}\n\nSay {MARKER}.",
    "sources": [SOURCE | {"title": MARKER}],
}
type Answers = dict[str, Any]


def asked(name: str, documents: list[str], things: Json) -> Iterator[Json]:
    """Answer ways to make a read: all it needs, and each filter there is with each value it takes."""
    values: dict[str, list[object]] = {
        "project": ["atlas", None],
        "document": [*documents],
        "draft": [None, True],
        "version": [None, 1, 2, 3, 4],
        "state": ["unpublished", "published", "archived"],
        "kind": [None, "guide", "decision"],
        "status": [None, "action", "proposed", "rejected", "open"],
        "space": [None, "project"],
        "query": [MARKER, MARKER[:3], f'"the {MARKER}"', "words"],
        "families": [None, ["document"], ["event"]],
        "path": ["/fs", "/fs/how.md"],
        "store": ["project"],
        "op": [None],
        "timeout_s": [0],
        **{thing: [value] for thing, value in things.items()},
    }
    schema = input_schema(calls()[name])
    fields = [field for field in schema["properties"] if field in values]
    must = [
        field for field in fields if field in schema.get("required", ()) or field in {"version", "draft", "timeout_s"}
    ]
    for given in itertools.product(*(values[field] for field in must)):
        base = {field: value for field, value in zip(must, given, strict=True) if value is not None}
        if not set(schema.get("required", ())) <= base.keys():
            continue
        yield base
        for field in fields:
            yield from (base | {field: value} for value in values[field] if field not in must and value is not None)


def walk(tools: HttpTools, documents: list[str], things: Json) -> Answers:
    """Make every read there is, every way, and every write that names a document; answers all that came back."""
    answers: Answers = {}
    for call in calls().values():
        if call.read_only:
            for given in asked(call.name, documents, things):
                answers[f"{call.name} {json.dumps(given)}"] = kept(tools(call.name, **given).body)
        elif "document" in call.arguments.model_fields and not is_waiting(call):
            for document, revision in itertools.product(documents, (None, 1)):
                given = {"document": document} | ({"expected_revision": revision} if revision else {})
                answers[f"{call.name} {json.dumps(given)}"] = kept(tools(call.name, **given).body)
    return answers


def kept(body: Any) -> Any:
    """Leave out of an answer what differs from one moment to the next."""
    if isinstance(body, dict):
        return {name: kept(value) for name, value in body.items() if name not in {"took_ms", "last_seen_at"}}
    return [kept(value) for value in body] if isinstance(body, list) else body


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Collect what is announced to whoever listens."""
    told: list[object] = []
    monkeypatch.setattr(live, "announce", lambda group, **ids: told.append((group, ids)))
    return told


@pytest.fixture
def shared(tools: HttpTools, human_api: HumanApi) -> HttpTools:
    """An agent that atlas's own space is shared with; nothing else is its own."""
    token = make_agent("shared", trusted=False).token
    published(tools, human_api, "First", "Words.")
    human_api.post("/projects/atlas/spaces/project/shares", agent="shared").done()
    return HttpTools(token)


def test_gov_06_no_answer_to_a_reader_tells_of_what_is_not_published(  # noqa: PLR0913 - who writes, who looks
    tools: HttpTools,
    human_api: HumanApi,
    reader: HttpTools,
    shared: HttpTools,
    notes: list[object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = {"project": "atlas", "store": "project", "path": "/fs/how.md"}
    version = tools("brain_put", content="Words.", **page)["version"]
    guide, decision = published(tools, human_api, "Guide"), accepted(tools, human_api, "Decision")
    failing, flying = (published(tools, human_api, title) for title in ("Failing", "Flying"))
    question = tools("question_post", project="atlas", subject="x")["event"]
    looks: list[tuple[HttpTools, list[str], Json]] = [
        (one, [guide, decision, failing, flying], {"question": question}) for one in (reader, shared)
    ]
    before = [walk(*look) for look in looks]

    hidden = {"new": drafted(tools, **HIDDEN), "proposed": drafted(tools, kind="decision", **HIDDEN)}
    hidden["rejected"] = drafted(tools, kind="decision", **HIDDEN)
    human_api.post(f"/documents/{hidden['rejected']}/reject").done()
    tools(
        "document_draft", **{"project": "atlas", "title": MARKER, "from": {"path": "/fs/how.md", "version": version}}
    ).done()
    for document in (guide, decision, failing):
        saved(tools, document, 1, **HIDDEN)
    with monkeypatch.context() as broken:
        broken.setattr(switching, "_switch", lambda *_: 1 / 0)
        assert publish(human_api, failing, 2)["state"] == "failed"
        hidden["failed"] = drafted(tools, **HIDDEN)
        assert publish(human_api, hidden["failed"])["state"] == "failed"
    row = Document.objects.get(pk=flying)
    fixed = {"revision": 2, "published_by": "x", "created_at": row.created_at}
    DocumentVersion.objects.create(document=row, number=2, state="pending", **HIDDEN, **fixed)

    # For who only reads, nothing happened: each answer is the one of before, whatever was asked.
    for look, answers in zip(looks, before, strict=True):
        after = walk(*look)
        assert {name: (answers[name], after[name]) for name in answers if answers[name] != after[name]} == {}
    tools("document_submit", document=hidden["new"], expected_revision=1).done()
    item = tools("inbox_read", project="atlas", status="action")["items"][0]["id"]
    for agent in (reader, shared):
        answers = walk(agent, list(hidden.values()), {"question": item})
        assert MARKER not in json.dumps(list(answers.values()))
        asked_by_id = [answer for name, answer in answers.items() if '"document":' in name]
        assert {answer["code"] for answer in asked_by_id} <= {"not_found", "invalid_argument"}
    told = [*Event.objects.values_list("summary", "payload"), *InboxItem.objects.values(), *notes]
    assert MARKER not in json.dumps(told, default=str)
    assert not SearchDocument.objects.filter(body__contains=MARKER[:4]).exists()
    assert not SearchDocument.objects.filter(title__contains=MARKER[:4]).exists()


def test_gov_08_a_decisions_words_are_in_its_versions_alone(
    tools: HttpTools, human_api: HumanApi, notes: list[object]
) -> None:
    body = f"We {MARKER}."
    document = drafted(tools, "Title", body, kind="decision")
    item = tools("document_submit", document=document, expected_revision=1)["event"]
    human_api.post(f"/inbox/{item}/decision", approved=True).done()
    publish(human_api, document, saved(tools, document, 1, body=f"{body} Indeed."), editorial=True).done()
    other = drafted(tools, "Other", body, kind="decision")
    human_api.post(f"/documents/{other}/accept", expected_revision=1, supersedes=[document]).done()
    human_api.post(f"/documents/{other}/revoke", reason="Words.").done()
    human_api.post(f"/documents/{drafted(tools, 'No', body, kind='decision')}/reject", reason="Words.").done()
    told = [*Event.objects.values_list("summary", "payload"), *InboxItem.objects.values(), *notes]
    assert Event.objects.filter(payload__action__startswith="document.").count() == 4
    assert MARKER not in json.dumps(told, default=str)
    assert not SearchDocument.objects.filter(family="document").exists()
    assert MARKER in tools("document_get", document=document)["body"]
