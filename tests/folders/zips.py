"""Zip files as people, and others, make them."""

import io
import stat
import zipfile

type Entry = tuple[str | zipfile.ZipInfo, bytes | str]


def zipped(*entries: Entry, compression: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    """Answer a zip of entries, in this order, whatever their names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    made.seek(0)
    return made


def link(name: str) -> zipfile.ZipInfo:
    """Answer the entry of a symlink."""
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry
