"""How pages show Markdown, code, times, sizes and JSON."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from agentfs import Entry, Row
from hubsite import markdown
from identity.pages import IMAGES, ending

register = template.Library()

SHOWN_BYTES: Final = 300_000
OPEN_TREE: Final = 40
EMPTY: Final = {"knowledge": "No pages yet.", "session": "Nothing written yet."}
LANGUAGES: Final = {"yml": "yaml", "md": "markdown", "py": "python", "js": "javascript", "sh": "bash", "txt": "text"}
_SPANS = (("year", 365 * 86400), ("month", 30 * 86400), ("day", 86400), ("hour", 3600), ("minute", 60))


@register.filter(name="markdown")
def markdown_html(source: str | None) -> SafeString:
    """Answer agent-written Markdown as safe HTML."""
    return markdown.render(source or "")


@register.filter
def code(source: str, path: str) -> SafeString:
    """Answer code coloured by the ending of its file's name."""
    coloured = markdown.highlighted(source, LANGUAGES.get(ending(path), ending(path)))
    return mark_safe(coloured) if coloured else escape(source)  # noqa: S308 - Pygments escapes


@register.filter
def pretty(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Answer JSON as people read and edit it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def spoken(name: str) -> str:
    """Answer a name of the API as people write it: ``open_item`` is an open item."""
    return name.replace("_", " ")


def in_words(seconds: float) -> str:
    """Answer a span in words, in its largest unit: ``3 minutes``. `static/live.js` says the same."""
    for unit, size in _SPANS:
        number = int(seconds // size)
        if number:
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return "a moment"


@register.filter
def when(moment: datetime | int | None) -> SafeString | str:
    """Answer a moment in words, the exact stamp in its title."""
    if moment is None:
        return "never"
    if isinstance(moment, int):
        moment = datetime.fromtimestamp(moment, UTC)
    passed = (timezone.now() - moment).total_seconds()
    words = "just now" if passed < _SPANS[-1][1] else f"{in_words(passed)} ago"
    return _time(moment, "when", words)


@register.filter
def due(moment: datetime) -> SafeString:
    """Answer a deadline as the time that is left."""
    left = (moment - timezone.now()).total_seconds()
    words = f"{left_in_words(left)} left" if left > 0 else "time is up"
    return _time(moment, "due soon" if left < timedelta(hours=1).total_seconds() else "due", words)


def left_in_words(seconds: float) -> str:
    """Answer what is left of a deadline in its two largest units."""
    whole = int(seconds)
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def _time(moment: datetime, names: str, words: str) -> SafeString:
    stamp = moment.astimezone(UTC)
    return format_html(
        '<time class="{}" datetime="{}" title="{}">{}</time>',
        names,
        stamp.isoformat().replace("+00:00", "Z"),
        stamp.strftime("%Y-%m-%d %H:%M:%S UTC"),
        words,
    )


@register.filter
def size(number: int) -> str:
    """Answer bytes in a unit people read."""
    value = float(number)
    for unit in ("B", "KB", "MB"):
        if value < 1024:  # noqa: PLR2004 - the step between units
            return f"{value:.0f} {unit}" if unit == "B" or value >= 10 else f"{value:.1f} {unit}"  # noqa: PLR2004
        value /= 1024
    return f"{value:.1f} GB"


@register.filter
def short_actor(actor: str) -> str:
    """Answer an actor as people call it: ``human:kim`` is kim."""
    return actor.removeprefix("human:")


@register.filter
def cut_fs(path: str) -> str:
    """Answer a page's path as people name it."""
    return path.removeprefix("/fs/")


@register.filter
def page_url(path: str, slug: str) -> str:
    """Answer the address of a knowledge page."""
    return reverse("admin:knowledge-page", args=[slug, cut_fs(path)])


def _addresses(store: str, place: str, path: str) -> tuple[str, str]:
    """Answer where an entry of a session's brain or of a project's knowledge is shown, and where its bytes are."""
    if store == "knowledge":
        return page_url(path, place), reverse("admin:knowledge-raw", args=[place, cut_fs(path)])
    inside = path.removeprefix("/")
    return reverse("admin:brain", args=[place, inside]), reverse("admin:brain-raw", args=[place, inside])


@register.inclusion_tag("parts/tree.html")
def tree(rows: Iterable[Row], current: str, store: str, place: str) -> dict[str, Any]:
    """Show files as a tree: directories open on the way to the current one, all of them in a small tree."""
    rows = list(rows)
    top: dict[str, Any] = {"children": []}
    directories = {"": top}
    for row in rows:
        above, _, name = (cut_fs(row.path) if store == "knowledge" else row.path[1:]).rpartition("/")
        address = _addresses(store, place, row.path)[0]
        leaf = {"name": name, "url": address, "size": row.size, "current": row.path == current}
        _directory(directories, above)["children"].append(leaf)
    for path, node in directories.items():
        node["open"] = len(rows) <= OPEN_TREE or f"{current}/".find(f"/{path}/") >= 0
    return {"nodes": top["children"], "empty": EMPTY[store]}


def _directory(directories: dict[str, Any], path: str) -> dict[str, Any]:
    if path not in directories:
        above, _, name = path.rpartition("/")
        directories[path] = {"name": name, "children": []}
        _directory(directories, above)["children"].append(directories[path])
    found: dict[str, Any] = directories[path]
    return found


@register.inclusion_tag("parts/content.html")
def content(entry: Entry, store: str, place: str) -> dict[str, Any]:
    """Show one stored file as what it is."""
    kind, text = _kind_of(entry)
    raw_url = _addresses(store, place, entry.path)[1]
    shown = cut_fs(entry.path) if store == "knowledge" else entry.path
    return {"entry": entry, "kind": kind, "text": text, "raw_url": raw_url, "shown_path": shown}


def _kind_of(entry: Entry) -> tuple[str, str]:
    if ending(entry.path) in IMAGES:
        return "image", ""
    if not entry.content or entry.size > SHOWN_BYTES:
        return ("large" if entry.content else "empty"), ""
    try:
        text = entry.content.decode()
    except UnicodeDecodeError:
        return "binary", ""
    return ("markdown" if ending(entry.path) in {"md", "markdown"} else "text"), text
