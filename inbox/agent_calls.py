"""What agents can report, ask, answer and read of the inbox."""

import asyncio
from contextlib import suppress
from typing import Annotated, Any, Literal

from asgiref.sync import sync_to_async
from pydantic import Field

from core import limits
from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.live import STOPPING, board
from core.page import limit_or_default
from inbox import queries
from inbox.jobs import expire_due
from inbox.notifications import tell
from inbox.operations import post_answer, post_approval, post_question, post_signal
from projects.queries import event_json

Deadline = Annotated[int | None, Field(description="Seconds until the hub resolves it as expired, 60 to 2592000.")]


class Post(Arguments):
    """What every post carries."""

    project: str
    session: str | None = None
    idempotency_key: str | None = None

    def fields(self) -> dict[str, Any]:
        """Answer what the operation takes by keyword."""
        return self.model_dump(exclude={"project"})


class SignalAppend(Post):
    """Arguments of signal_append."""

    summary: str
    kind: Literal["signal", "finished"] = "signal"
    payload: dict[str, Any] | None = None
    thread: str | None = None


class QuestionPost(Post):
    """Arguments of question_post."""

    subject: str
    body: str = ""
    context: str = ""
    options: list[str] = Field(default_factory=list)
    deadline_s: Deadline = None


class ApprovalPost(Post):
    """Arguments of approval_post."""

    subject: str
    body: str = ""
    context: str = ""
    proposal: Any = None
    deadline_s: Deadline = None
    on_expiry: Literal["decline", "expire"] = "decline"


class AnswerPost(Arguments):
    """Arguments of answer_post."""

    question: str
    body: str
    idempotency_key: str | None = None


class AnswerWait(Arguments):
    """Arguments of answer_wait."""

    question: str
    timeout_s: Annotated[int, Field(ge=0, le=limits.WAIT_SECONDS)] = limits.WAIT_SECONDS


class InboxRead(Arguments):
    """Arguments of inbox_read."""

    status: str | None = None
    project: str | None = None
    limit: int | None = None
    cursor: str | None = None


@agent_call(
    "signal_append",
    title="Report to the feed",
    http=("POST", "/projects/{project}/signals"),
    arguments=SignalAppend,
    session="own",
)
def signal_append(actor: Actor, arguments: SignalAppend) -> Json:
    """Say what happened, in one line. kind=finished also puts it into the human's inbox."""
    return post_signal(actor, arguments.project, **arguments.fields())


@agent_call(
    "question_post",
    title="Ask a question",
    http=("POST", "/projects/{project}/questions"),
    arguments=QuestionPost,
    session="own",
)
def question_post(actor: Actor, arguments: QuestionPost) -> Json:
    """Ask the human. Returns the event; pass it to answer_wait as question."""
    return post_question(actor, arguments.project, **arguments.fields())


@agent_call(
    "approval_post",
    title="Ask for approval",
    http=("POST", "/projects/{project}/approvals"),
    arguments=ApprovalPost,
    session="own",
)
def approval_post(actor: Actor, arguments: ApprovalPost) -> Json:
    """Ask a person to approve; they may edit proposal (JSON). Wait with answer_wait: approved, note, proposal."""
    return post_approval(actor, arguments.project, **arguments.fields())


@agent_call(
    "answer_post", title="Answer a question", http=("POST", "/questions/{question}/answers"), arguments=AnswerPost
)
def answer_post(actor: Actor, arguments: AnswerPost) -> Json:
    """Answer another agent's question; the first answer resolves it."""
    item = queries.item_of(actor, arguments.question, "question")
    return post_answer(actor, item.project_id, **arguments.model_dump())


@agent_call(
    "answer_wait",
    title="Wait for an answer",
    http=("GET", "/questions/{question}/answer"),
    arguments=AnswerWait,
    read_only=True,
)
async def answer_wait(actor: Actor, arguments: AnswerWait) -> Json:
    """Wait up to timeout_s for the answer to a question or approval; status pending: call again, any time later."""
    loop = asyncio.get_running_loop()
    give_up = loop.time() + arguments.timeout_s
    item = await sync_to_async(queries.decidable)(actor, arguments.question)
    # Listening starts before the first look, so an answer between the two is not missed.
    with board.listen(f"thread:{item.pk}", STOPPING) as answers:
        while True:
            state = await sync_to_async(_state)(actor, item.pk)
            left = give_up - loop.time()
            if state["status"] != "pending" or left <= 0:
                return state
            with suppress(TimeoutError):
                note = await asyncio.wait_for(answers.next(), left)
                give_up = loop.time() if note["group"] == STOPPING else give_up


def _state(actor: Actor, question: str) -> Json:
    """Answer where a question stands, read under the caller's rights of this moment."""
    expire_due()
    item = queries.item_of(actor, question, "question")
    answer = queries.answer_of(item)
    if answer and item.asker == str(actor) and item.told_at is None:
        tell(item)
    return {
        "question": item.pk,
        "project": item.project_id,
        "status": item.outcome if answer else "pending",
        "deadline_at": queries.agent_json(item)["deadline_at"],
        "answer": event_json(answer) if answer else None,
    }


@agent_call("inbox_read", title="Read the inbox", http=("GET", "/inbox"), arguments=InboxRead, read_only=True)
def inbox_read(actor: Actor, arguments: InboxRead) -> Json:
    """List what agents posted for the human: status unread, action, waiting or resolved (with outcome)."""
    expire_due()
    rows = queries.visible_items(actor, status=arguments.status, project=arguments.project)
    page = queries.page_of(rows, cursor=arguments.cursor, limit=limit_or_default(arguments.limit))
    page = page.within_reply(arguments.limit, queries.agent_json, lambda item: item.pk)
    return page.as_dict("items", queries.agent_json)
