"""Documents as tests write, publish and look for them."""

from tests.inprocess import HumanApi, Json, Outcome, Tools

SOURCE: Json = {"kind": "url", "url": "https://example.org/why"}


def drafted(tools: Tools, title: str = "One", body: str = "Words.", **more: object) -> str:
    """Begin a document in atlas; answers its id."""
    given = {"project": "atlas", "title": title, "body": body, "sources": [SOURCE], **more}
    document: str = tools("document_draft", **given)["document"]
    return document


def saved(tools: Tools, document: str, revision: int, **text: object) -> int:
    """Save a draft; answers its revision."""
    number: int = tools("document_draft", document=document, expected_revision=revision, **text)["revision"]
    return number


def publish(human_api: HumanApi, document: str, revision: int = 1, **more: object) -> Outcome:
    """Publish a revision as a person."""
    return human_api.post(f"/documents/{document}/publish", expected_revision=revision, **more)


def published(tools: Tools, human_api: HumanApi, title: str = "One", body: str = "Words.", **more: object) -> str:
    """Begin a document and publish it; answers its id."""
    document = drafted(tools, title, body, **more)
    assert publish(human_api, document)["state"] == "published"
    return document


def accepted(tools: Tools, human_api: HumanApi, title: str, body: str = "We do.", **more: object) -> str:
    """Propose a decision and accept it; answers its document."""
    document = drafted(tools, title, body, kind="decision")
    assert human_api.post(f"/documents/{document}/accept", expected_revision=1, **more)["state"] == "published"
    return document


def repository(human_api: HumanApi, name: str = "code", sync_agent: str | None = None) -> str:
    """Make a repository space of atlas; answers its id."""
    space: str = human_api.post("/projects/atlas/spaces", name=name, sync_agent=sync_agent)["space"]
    return space


def found(tools: Tools, query: str, **given: object) -> list[Json]:
    """Search documents; answers the hits."""
    families = tools("search", query=query, families=["document"], **given)["families"]
    return [hit for family in families for hit in family["hits"]]
