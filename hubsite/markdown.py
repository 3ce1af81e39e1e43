"""Agent-written Markdown to HTML that can do nothing (HUM-03).

HTML in the source stays text, code is coloured by Pygments classes, and nh3 has the last word on every tag,
attribute and address. The result is kept by its source.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

MAX_HIGHLIGHTED: Final = 100_000
CACHED_CHARS: Final = 50_000
TOP_LEVEL: Final = 2
_TAGS: Final = frozenset(
    [
        "p",
        "br",
        "hr",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "strong",
        "em",
        "s",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "a",
        "img",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "span",
    ]
)
_ATTRIBUTES: Final = {"a": {"href", "title"}, "img": {"src", "alt", "title"}, "ol": {"start"}, "pre": {"tabindex"}}
_CLASSES: Final = {"span": {name for name in STANDARD_TYPES.values() if name}}
_SCHEMES: Final = {"http", "https", "mailto", "data"}
_IMAGES: Final = ("data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;")
_FORMATTER: Final = HtmlFormatter(nowrap=True)


def render(source: str) -> SafeString:
    """Answer the HTML of a Markdown text, safe to show."""
    return _kept(source) if len(source) <= CACHED_CHARS else _render(source)


@lru_cache(maxsize=256)
def _kept(source: str) -> SafeString:
    return _render(source)


def _render(source: str) -> SafeString:
    html: str = _MARKDOWN.render(source)
    clean = nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        url_schemes=_SCHEMES,
        attribute_filter=_attribute,
        link_rel="noopener nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 has cleaned it


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "src":
        return value if is_own_image(value) else None
    if name == "href" and value.strip().lower().startswith("data:"):
        return None
    if name == "tabindex":
        return "0" if tag == "pre" else None
    return value


def is_own_image(address: str) -> bool:
    """Tell whether an image comes with the text or from this hub; the policy of the pages allows no other."""
    if address.lower().startswith(_IMAGES):
        return True
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc and not address.startswith(("//", "/\\", "\\"))


def highlighted(code: str, language: str) -> str | None:
    """Answer code coloured by class, or None when the language is unknown or the text too long."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)  # so that lines keep their numbers
    except ClassNotFound:
        return None
    return highlight(code, lexer, _FORMATTER) if len(code) <= MAX_HIGHLIGHTED else None


def _fence(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    words = tokens[index].info.split()
    code = tokens[index].content
    body = (highlighted(code, words[0]) if words else None) or escape(code)
    return f'<pre tabindex="0"><code>{body}</code></pre>\n'


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Show an image of this hub; one from elsewhere becomes a link, so that opening a page tells nobody."""
    token = tokens[index]
    source = str(token.attrs.get("src", ""))
    token.attrs["alt"] = self.renderInlineAsText(token.children or [], options, env)
    if is_own_image(source):
        return self.renderToken(tokens, index, options, env)
    return f'<a href="{escape(source)}">{escape(token.attrs["alt"] or source)}</a>'


def _levels(state: Any) -> None:  # noqa: ANN401 - markdown-it's core state
    """Nest headings without gaps below the page's own heading, whatever levels the text starts with."""
    above: list[int] = []
    for token in state.tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
            while above and above[-1] >= level:
                above.pop()
            above.append(level)
            token.tag = f"h{min(6, TOP_LEVEL + len(above) - 1)}"
        elif token.type == "heading_close":
            token.tag = f"h{min(6, TOP_LEVEL + len(above) - 1)}"


def _made() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.add_render_rule("fence", _fence)
    markdown.add_render_rule("code_block", _fence)
    markdown.add_render_rule("image", _image)
    markdown.core.ruler.push("levels", _levels)
    return markdown


_MARKDOWN: Final = _made()
