"""Python in a process of its own: for what another process does, and for the SDK, which must not share one with us."""

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
_started: list[subprocess.Popen[str]] = []


def start(code: str, *args: object) -> subprocess.Popen[str]:
    """Start a process that runs this code with these arguments, its input and output on pipes."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _started.append(process)
    return process


def end_all() -> None:
    """Kill what a failed test left running."""
    while _started:
        process = _started.pop()
        if process.poll() is None:
            process.kill()
        with process:
            pass


def run(code: str, *args: object, stdin: str = "") -> str:
    """Answer what the code prints; fails with its error output."""
    process = start(code, *args)
    output, errors = process.communicate(stdin, timeout=60)
    assert process.returncode == 0, errors
    return output


def say(process: subprocess.Popen[str], line: str) -> None:
    """Give a started process one line of input."""
    assert process.stdin
    process.stdin.write(line + "\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    """Wait for one line of a started process."""
    assert process.stdout
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return line.strip()


def finish(process: subprocess.Popen[str]) -> None:
    """End the input of a started process and wait for a clean exit."""
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
