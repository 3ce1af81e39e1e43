"""ART-01, ART-02, INB-07 in any order: two agents, a person and the job, against a plain model and the disk."""

import itertools
from dataclasses import dataclass, field

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from artifacts.jobs import reconcile
from artifacts.models import ArtifactVersion, Comment
from tests.artifacts.showing import blob_names, versions_and_blobs_agree
from tests.brains import begin
from tests.inprocess import HttpTools, Outcome
from tests.world import make_agent, make_project


@dataclass
class Shown:
    """What the model knows of one artifact."""

    publisher: int
    contents: list[str]
    comments: dict[str, bool] = field(default_factory=dict)
    here: bool = True


class World:
    """The agents, made once, and a fresh project for each run."""

    agents: tuple[HttpTools, HttpTools]
    numbers = itertools.count()


WHO = st.integers(0, 1)
CONTENT = st.sampled_from(["one", "two", "three", "\u8a18 four"])


class Gallery(RuleBasedStateMachine):
    """Random calls; after each the hub must show what the model holds, and the disk hold what the hub shows."""

    published: Bundle[str] = Bundle("published")
    commented: Bundle[tuple[str, str]] = Bundle("commented")

    def __init__(self) -> None:
        super().__init__()
        self.slug = make_project(f"gallery{next(World.numbers)}").pk
        for agent in World.agents:
            begin(agent, "main", self.slug)
        self.artifacts: dict[str, Shown] = {}

    @rule(target=published, who=WHO, content=CONTENT)
    def publish(self, who: int, content: str) -> str:
        given = {"project": self.slug, "title": "x", "kind": "text", "content": content}
        artifact: str = World.agents[who]("artifact_publish", **given)["artifact"]
        self.artifacts[artifact] = Shown(who, [content])
        return artifact

    @rule(artifact=published, who=WHO, content=CONTENT, base=st.sampled_from([0, -1, 1, None, "force"]))
    def update(self, artifact: str, who: int, content: str, base: int | str | None) -> None:
        model = self.artifacts[artifact]
        given: dict[str, object] = {"force": True} if base == "force" else {}
        if isinstance(base, int):
            given["base_version"] = len(model.contents) + base
        outcome = World.agents[who]("artifact_update", artifact=artifact, content=content, **given)
        expected = {0: "", "force": "", None: "precondition_required"}.get(base, "version_mismatch")
        if self.agrees(outcome, expected if model.here else "not_found"):
            model.contents.append(content)
            assert outcome["version"] == len(model.contents)

    def agrees(self, outcome: Outcome, expected: str) -> bool:
        """Tell whether the call was taken; fails unless it was refused as expected."""
        assert (outcome.code if outcome.refused else "") == expected
        return not outcome.refused

    @rule(artifact=published, who=WHO)
    def delete(self, artifact: str, who: int) -> None:
        model = self.artifacts[artifact]
        expected = "not_found" if not model.here else "" if model.publisher == who else "forbidden"
        if self.agrees(World.agents[who]("artifact_delete", artifact=artifact), expected):
            model.here = False

    @rule(target=commented, artifact=published, who=WHO, version=st.sampled_from([None, 1, 2, 3]))
    def comment(self, artifact: str, who: int, version: int | None) -> tuple[str, str]:
        model = self.artifacts[artifact]
        given = {} if version is None else {"version": version}
        outcome = World.agents[who]("comment_post", artifact=artifact, body="x", **given)
        is_there = model.here and (version or 1) <= len(model.contents)
        if self.agrees(outcome, "" if is_there else "not_found"):
            model.comments[outcome["comment"]] = True
            return artifact, outcome["comment"]
        return artifact, "01J00000000000000000000000"

    @rule(made=commented, who=WHO, is_open=st.booleans())
    def settle(self, made: tuple[str, str], who: int, *, is_open: bool) -> None:
        artifact, comment = made
        model = self.artifacts[artifact]
        outcome = World.agents[who]("comment_resolve", comment=comment, reopen=is_open)
        is_there = model.here and comment in model.comments
        if self.agrees(outcome, "" if is_there else "not_found"):
            model.comments[comment] = is_open

    @rule()
    def the_job_runs(self) -> None:
        assert reconcile() == 0

    @invariant()
    def the_hub_shows_the_model(self) -> None:
        here = {artifact: model for artifact, model in self.artifacts.items() if model.here}
        rows = World.agents[0]("artifact_list", project=self.slug, limit=500)["artifacts"]
        found = {row["id"]: (row["version"], row["actor"], row["open_comments"]) for row in rows}
        assert found == {
            artifact: (len(model.contents), ("ada", "ben")[model.publisher], sum(model.comments.values()))
            for artifact, model in here.items()
        }
        for artifact, model in list(here.items())[-1:]:
            newest = World.agents[1]("artifact_get", artifact=artifact).done()
            first = World.agents[1]("artifact_get", artifact=artifact, version=1).done()
            assert (first["content"], newest["content"]) == (model.contents[0], model.contents[-1])
        comments = {comment for model in here.values() for comment in model.comments}
        assert set(Comment.objects.filter(project=self.slug).values_list("pk", flat=True)) == comments

    @invariant()
    def the_disk_holds_what_the_hub_shows(self) -> None:
        versions_and_blobs_agree()
        here = [model for model in self.artifacts.values() if model.here]
        own = [name for name in blob_names() if name.startswith(f"{self.slug}/")]
        assert len(own) == sum(len(model.contents) for model in here)
        assert ArtifactVersion.objects.filter(project=self.slug).count() == len(own)


@pytest.mark.django_db(transaction=True)
def test_art_01_any_order_of_calls_agrees_with_a_plain_model() -> None:
    World.agents = (HttpTools(make_agent("ada").token), HttpTools(make_agent("ben").token))
    run_state_machine_as_test(
        Gallery, settings=settings(max_examples=6, stateful_step_count=20, deadline=None, database=None)
    )
