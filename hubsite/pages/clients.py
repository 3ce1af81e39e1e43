"""What to paste into each client so that it speaks to this hub."""

import json
from dataclasses import dataclass
from typing import Any, Final

IN_VARIABLE: Final = "with the token in the variable HUB_TOKEN"


@dataclass(frozen=True, slots=True)
class Client:
    """One client, where its setup goes, and the setup itself."""

    name: str
    where: str
    text: str


def clients(address: str, secret: str | None) -> list[Client]:
    """Answer the setups; where no token is known, ``$HUB_TOKEN`` or ``TOKEN`` stands for it."""
    url = f"{address}/mcp"
    shell = secret or "$HUB_TOKEN"
    written = _bearer(secret or "TOKEN")
    add = f'claude mcp add --transport http --scope project --header "Authorization: Bearer {shell}" hub {url}'
    codex = f'[mcp_servers.hub]\nurl = "{url}"\nbearer_token_env_var = "HUB_TOKEN"'
    shared = {"type": "http", "url": url, "headers": _bearer("${HUB_TOKEN}")}
    cursor = {"url": url, "headers": _bearer("${env:HUB_TOKEN}")}
    opencode = {"type": "remote", "url": url, "headers": written, "oauth": False, "enabled": True}
    return [
        Client("Claude Code", "in a shell, in the project's directory", add),
        Client("Claude Code, shared", f".mcp.json, {IN_VARIABLE}", _servers(shared)),
        Client("Codex", f"~/.codex/config.toml, {IN_VARIABLE}", codex),
        Client("Cursor", f".cursor/mcp.json, {IN_VARIABLE}", _servers(cursor)),
        Client("Gemini CLI", "~/.gemini/settings.json", _servers({"httpUrl": url, "headers": written})),
        Client("OpenCode", "opencode.json", _pretty({"mcp": {"hub": opencode}})),
        Client("Anything else", "over plain HTTP", _curl(address, shell)),
    ]


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _servers(hub: dict[str, Any]) -> str:
    return _pretty({"mcpServers": {"hub": hub}})


def _pretty(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2)


def _curl(address: str, token: str) -> str:
    return f'curl -H "Authorization: Bearer {token}" {address}/api/v1/whoami'
