"""One client process: the same request over one connection for some seconds. Prints its latencies as JSON.

It says "ready" and starts when a line comes, so that several begin together.
"""

import http.client
import json
import sys
import time


def main(port: int, seconds: float, request: list[str]) -> None:
    """Send `request` (method, path, token, body) until the time is over."""
    method, path, token, body = request
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    content = body or None

    def once() -> float:
        before = time.perf_counter()
        connection.request(method, path, content, headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status != http.client.OK or b'"isError":true' in answer.replace(b" ", b""):
            raise SystemExit(f"{method} {path}: {response.status} {answer[:300]!r}")
        return time.perf_counter() - before

    for _ in range(5):
        once()
    print("ready", flush=True)
    sys.stdin.readline()
    end = time.perf_counter() + seconds
    latencies = []
    while time.perf_counter() < end:
        latencies.append(once())
    print(json.dumps(latencies))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:7])
