"""Comparing what is delivered with what is remembered: slow, and so done before memory is held (MEM-03)."""

from dataclasses import dataclass

from django.db.models import F

from memory.entries import Said, current_words
from memory.likeness import Words, words_of
from memory.models import Entry, Revision


@dataclass(slots=True)
class Plan:
    """The words of what is remembered where something is to be stored, and at which revisions they were read."""

    words: dict[tuple[str, str], dict[str, tuple[int, Words]]]
    said: dict[str, Words]

    def holds(self, subject: int) -> bool:
        """Tell whether every entry compared is there still, as it was, and no other."""
        return all(
            {entry: revision for entry, (revision, _) in found.items()} == _revisions(subject, *place)
            for place, found in self.words.items()
        )

    def of(self, said: Said) -> Words:
        """Answer the words of something that is to be stored."""
        return self.said[said.text]


def planned(subject: int, said: list[Said]) -> Plan:
    """Read and compare."""
    places = {(one.layer, one.scope) for one in said}
    words = {place: current_words(subject, *place) for place in places}
    return Plan(words, {one.text: words_of(one.text) for one in said})


def _revisions(subject: int, layer: str, scope: str) -> dict[str, int]:
    rows = Revision.objects.of(subject).filter(
        entry__state=Entry.State.ACTIVE, entry__layer=layer, entry__scope=scope, number=F("entry__revision")
    )
    return dict(rows.values_list("entry", "number"))
