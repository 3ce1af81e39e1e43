"""OPS-01: ``make demo`` fills a running hub once, with something of everything."""

from tests.running import Hub


def test_ops_01_the_demo_tells_its_week_once(own_hub: Hub) -> None:
    own_hub.start()
    assert own_hub.manage("demo").stdout.startswith("Done: see")
    assert own_hub.manage("demo").stdout.startswith("The demo's week is in")
    with own_hub.api(own_hub.agent("reader")) as api:
        sessions = api.get("/sessions", project="demo-harbor").json["sessions"]
        documents = api.get("/documents", project="demo-harbor").json["documents"]
        artifacts = api.get("/artifacts", project="demo-harbor").json["artifacts"]
    assert {session["name"] for session in sessions} == {"bookings", "deposits"}
    published = [document["title"] for document in documents if document["state"] == "published"]
    assert published == ["When a deposit goes back"]
    assert len(artifacts) == 3
    task = own_hub.manage(
        "shell",
        "--no-imports",
        "-c",
        "from tasks.models import Task; task = Task.objects.get(); print(task.status, task.recalls.count())",
    )
    assert task.stdout.split() == ["completed", "2"]
