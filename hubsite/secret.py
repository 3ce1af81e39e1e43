"""The secret key, made once and kept in the data directory, readable by its owner alone."""

import os
import secrets
from pathlib import Path


def secret_key(data_dir: Path) -> str:
    """Answer the key of this data directory, making it (mode 0600) at first use (OPS-01)."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = data_dir / "secret.key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()
