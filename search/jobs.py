"""Following files between searches, so that few have much to catch up on; and indexing anew in the background."""

from itertools import islice
from typing import Final

from core.actor import HUB
from core.jobs import every
from projects.models import Project
from search.families import families
from search.following import catch_up
from search.models import SearchFile
from search.operations import rest_files
from search.rebuilding import refresh

_BATCHES: Final = 20


@every(5)
def follow_files() -> int:
    """Catch up on every file, and look no more at those nobody can write; answers how many those are."""
    kinds = [family for family in families().values() if family.files is not None]
    marks = {}
    for family in kinds:
        open_files = SearchFile.objects.filter(family=family.name, open=True)
        keys = list(open_files.values_list("project", "key"))
        # Read before the files are: what was written before these marks is then in the index.
        marks[family.name] = family.files.rest(keys) if family.files else {}
    unread = catch_up(kinds, list(Project.objects.values_list("pk", flat=True)))
    rested = 0
    for name, of_family in marks.items():
        read = {file: mark for file, mark in of_family.items() if file not in unread}
        rested += rest_files(HUB, family=name, marks=read) if read else 0
    return rested


@every(2)
def index_outdated() -> int:
    """Index some of what another version of the analyzer folded; answers how many. Others wait for their next turn."""
    return sum(islice(refresh(), _BATCHES))
