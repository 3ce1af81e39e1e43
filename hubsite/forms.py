"""A multipart form as it arrives: a few short fields kept, and one file handed on, a chunk at a time."""

from collections.abc import Callable
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from core import limits
from core.errors import HubError, invalid

FILE: Final = "content"
FIELD_BYTES: Final = 64 * 1024
FIELDS_BYTES: Final = limits.PAYLOAD_BYTES
PARTS: Final = 32
_PLAIN: Final = frozenset({"", "7bit", "8bit", "binary"})


def boundary_of(content_type: str) -> bytes:
    """Answer the boundary a form's content type names, or refuse what is no form."""
    media_type, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if media_type != b"multipart/form-data" or not boundary:
        message = "Send multipart/form-data with a boundary, as a form with a file does."
        raise HubError("unsupported_media_type", message, header="Content-Type")
    return boundary


class Form:
    """Reads a form whose file is the part ``content``; ``take`` is given its bytes. Refuses by the part's name."""

    def __init__(self, boundary: bytes, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._fields: dict[str, bytearray] = {}
        self._names: list[str] = []
        self._headers: dict[str, str] = {}
        self._header, self._value = bytearray(), bytearray()
        self._is_whole = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin,
                    "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                    "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._name,
                    "on_part_data": self._data,
                    "on_end": self._end,
                },
            )
        except FormParserError as error:
            raise _malformed() from error

    def write(self, chunk: bytes) -> None:
        """Read the next bytes."""
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise _malformed() from error

    def fields(self) -> dict[str, str]:
        """Answer the fields of a form that was read to its end, its file among what it held."""
        if not self._is_whole:
            raise invalid(FILE, "The upload is cut short: the boundary that closes it is missing.")
        if FILE not in self._names:
            raise invalid(FILE, f"The argument {FILE!r} is required: the part that is the file.")
        return {name: _text(name, value) for name, value in self._fields.items()}

    def _begin(self) -> None:
        if len(self._names) == PARTS:
            raise invalid("body", f"A form has at most {PARTS} parts.", limit=PARTS)
        self._headers = {}

    def _end_header(self) -> None:
        name, value = self._header.decode("latin-1").lower(), self._value.decode("latin-1")
        self._headers[name] = value.strip()
        self._header.clear()
        self._value.clear()

    def _name(self) -> None:
        disposition, options = parse_options_header(self._headers.get("content-disposition"))
        name = options.get(b"name", b"").decode(errors="replace")
        if disposition != b"form-data" or not name:
            raise invalid("body", "Each part needs a Content-Disposition: form-data with a name.")
        if name in self._names:
            raise invalid(name, f"{name} is given twice.")
        if b"filename" in options and name != FILE:
            raise invalid(name, f"Only {FILE} is a file.")
        if self._headers.get("content-transfer-encoding", "").lower() not in _PLAIN:
            raise invalid(name, f"{name} must come as it is, without a Content-Transfer-Encoding.")
        self._names.append(name)
        if name != FILE:
            self._fields[name] = bytearray()

    def _data(self, data: bytes, start: int, end: int) -> None:
        name = self._names[-1]
        if name == FILE:
            self._take(data[start:end])
            return
        self._fields[name].extend(data[start:end])
        _check_size(name, len(self._fields[name]), FIELD_BYTES)
        _check_size(name, sum(map(len, self._fields.values())), FIELDS_BYTES)

    def _end(self) -> None:
        self._is_whole = True


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise HubError("payload_too_large", f"With {name} the fields pass {limit} bytes.", field=name, limit=limit)


def _text(name: str, value: bytearray) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise invalid(name, f"{name} is not valid UTF-8.") from None


def _malformed() -> HubError:
    return invalid("body", "The body is not valid multipart/form-data.")
