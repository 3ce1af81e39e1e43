"""Tasks as tests create and run them."""

from dataclasses import dataclass
from typing import Any

from tests.inprocess import HumanApi, Json, Outcome, Tools


@dataclass(frozen=True, slots=True)
class Run:
    """A running task."""

    task: str
    delegation: str
    session: str
    document: str
    tools: Tools
    human_api: HumanApi

    def now(self) -> Json:
        """How the task stands, as its person sees it."""
        return self.human_api.get(f"/tasks/{self.task}").done()

    @property
    def revision(self) -> int:
        return int(self.now()["revision"])

    def recall(self, query: str = "heron nest", **given: object) -> Outcome:
        """Recall as the agent, under the task's first delegation unless told another."""
        return self.tools("knowledge_recall", **{"delegation": self.delegation, "query": query, **given})

    def read(self, document: str | None = None, **given: object) -> Outcome:
        """Read a document as the agent."""
        return self.tools(
            "knowledge_read", **{"delegation": self.delegation, "document": document or self.document, **given}
        )

    def complete(self, **given: object) -> Outcome:
        """Complete the task as the agent, as it stands."""
        return self.tools("task_complete", **{"task": self.task, "expected_revision": self.revision, **given})

    def recalls(self) -> list[Json]:
        """What was noted of the task's recalls, newest first."""
        return list(self.human_api.get(f"/tasks/{self.task}/recalls")["recalls"])


def created(human_api: HumanApi, agent: str = "ada", project: str = "atlas", **given: object) -> Json:
    """Create a task for the person and prepare it."""
    task = {"title": "Count herons", "text": "Count the herons at the lake.", "agent": agent, **given}
    return human_api.post(f"/projects/{project}/tasks", **task).done()


def begun(human_api: HumanApi, tools: Tools, document: str = "", project: str = "atlas", **given: Any) -> Run:
    """Create a task and let an agent's new session run it."""
    task = created(human_api, project=project, **given)
    session = tools("session_start", project=project, name=task["task"].lower(), task=task["task"])["session"]
    return Run(task["task"], task["delegation"], session, document, tools, human_api)
