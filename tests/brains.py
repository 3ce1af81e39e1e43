"""Sessions and their brains as tests look at them: through an agent's calls, and on the disk."""

from pathlib import Path

from django.conf import settings

from tests.inprocess import Tools


def begin(tools: Tools, name: str = "main", project: str = "atlas", **pages: str) -> str:
    """Start a session, write pages to its brain as ``page="text"``, and answer its id."""
    session: str = tools("session_start", project=project, name=name)["session"]
    for page, text in pages.items():
        write(tools, session, f"/fs/{page}.md", text)
    return session


def write(tools: Tools, session: str, path: str, content: object) -> None:
    """Write an entry to a brain; fails the test when refused."""
    tools("brain_put", session=session, path=path, content=content, store="session").done()


def content(tools: Tools, session: str, path: str) -> object:
    """Answer an entry's content."""
    return tools("brain_get", session=session, path=path)["content"]


def brain_file(session: str, project: str = "atlas") -> Path:
    """Answer where a brain lies."""
    return Path(settings.DATA_DIR) / "sessions" / project / f"{session}.db"


def files_below(directory: Path) -> list[str]:
    """Answer every file below a directory, by name; not the journals that stand beside a brain in use."""
    names = {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}
    return sorted(name for name in names if not (name.endswith(("-shm", "-wal")) and name[:-4] in names))
