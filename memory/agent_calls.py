"""What an agent can do with a person's memory: begin a conversation they allowed, and read what it was given.

Nothing here writes memory, and nothing reads it live (MEM-04, MEM-07).
"""

from core.actor import Actor
from core.calls import Arguments, Json, agent_call
from core.errors import HubError, not_found
from memory import queries
from memory.operations import start_conversation


class ConversationStart(Arguments):
    """Arguments of conversation_start."""

    subject: str
    text: str
    title: str = ""
    follows: str | None = None
    idempotency_key: str | None = None


class ConversationGet(Arguments):
    """Arguments of conversation_get."""

    subject: str
    conversation: str


@agent_call(
    "conversation_start",
    title="Start a conversation",
    http=("POST", "/people/{subject}/conversations"),
    arguments=ConversationStart,
    is_tool=False,
)
def conversation_start(actor: Actor, arguments: ConversationStart) -> Json:
    """Start a conversation for a person who lets you, about text; answers a snapshot of their memory, frozen."""
    subject = queries.subject_named(arguments.subject)
    try:
        started = start_conversation(actor, subject, **arguments.model_dump(exclude={"subject"}))
    except HubError as refusal:
        if refusal.code == "forbidden":  # whether there is such a person is not for who may not act for them
            raise not_found("person") from None
        raise
    row = queries.conversation_of(subject, started["conversation"], agent=actor.name)
    return queries.conversation_json(row, content=True)


@agent_call(
    "conversation_get",
    title="Read a conversation's memory",
    http=("GET", "/people/{subject}/conversations/{conversation}"),
    arguments=ConversationGet,
    read_only=True,
    is_tool=False,
)
def conversation_get(actor: Actor, arguments: ConversationGet) -> Json:
    """Read the snapshot a conversation of yours was given; it never changes."""
    try:
        subject = queries.subject_named(arguments.subject)
    except HubError:  # who is here is not for everybody to learn
        raise not_found("conversation") from None
    row = queries.conversation_of(subject, arguments.conversation, agent=actor.name)
    if row.started_by == str(actor) and not queries.is_companion(actor, subject):
        raise not_found("conversation")  # the person lets it no longer
    return queries.conversation_json(row, content=True)
