"""The week. Iris works on Harbor, a booking service; Wei on Lantern, its bilingual documentation."""

from core.actor import Actor
from hubsite.demo.client import DemoAgent
from hubsite.demo.handing import hand_over

HARBOR = "demo-harbor"
LANTERN = "demo-lantern"
PROJECTS = {HARBOR: "Harbor", LANTERN: "灯笼 Lantern"}
LAST_WORDS = "Week closed: bookings at 96 ms p95, no double booking since Tuesday"
DAY = 86_400


def tell(iris: DemoAgent, wei: DemoAgent, person: Actor | None) -> None:
    """Tell the week in order; with a person, Iris is handed a task on Thursday night."""
    iris.start(HARBOR, "bookings")
    wei.start(LANTERN, "translation")
    for day in (monday, tuesday, wednesday, thursday):
        day(iris, wei)
    if person is not None:
        hand_over(person, iris)
        iris.start(HARBOR, "bookings")
    friday(iris, wei)


def told(iris: DemoAgent) -> bool:
    """Whether the hub has heard it to the end."""
    events = iris.call("feed_read", project=HARBOR, kinds=["finished"], limit=100)["events"]
    return any(event["summary"] == LAST_WORDS for event in events)


def monday(iris: DemoAgent, wei: DemoAgent) -> None:
    """Find out what is wrong."""
    iris.report("Picked up HAR-231: two guests were promised berth C14 for the same night")
    iris.note(
        "/fs/plan.md", "# HAR-231\n\n- [x] reproduce with two clients\n- [ ] constraint\n- [ ] message for people\n"
    )
    iris.report(
        "Reproduced: 2 of 500 pairs of requests book the same berth",
        command="go test ./reserve -run TestRace -count=500",
        pairs=500,
        doubled=2,
    )
    iris.page("README.md")
    wei.report("开始翻译 Harbor 的用户指南,共 34 页")
    wei.note("/kv/progress", {"done": 0, "total": 34})
    wei.page("glossary.md")


def tuesday(iris: DemoAgent, wei: DemoAgent) -> None:
    """Repair it."""
    iris.page("decisions/0003-no-overlap.md")
    iris.propose(
        "Add an exclusion constraint to the booking table in production",
        body=(
            "It takes a lock on `booking` while the index is built: **about 40 s** on a copy of production. "
            "Writes wait that long; reads go on. I would do it at 03:00, when there are no bookings."
        ),
        proposal={"at": "03:00", "lock_timeout_s": 60, "rollback": "DROP CONSTRAINT booking_no_overlap"},
        deadline_s=3 * DAY,
    )
    iris.show("constraint.sql", "The constraint", "code", language="postgresql", description="To be run at 03:00.")
    race = iris.show("race.md", "HAR-231: who books first", "markdown", label="HAR-231")
    wei.comment(race, "Is the wait of the loser measured too?", quote="Only the database sees both.")
    iris.show_again(race, "race2.md")
    iris.report("HAR-231: 0 of 5,000 pairs double-booked with the constraint on staging", pairs=5000, doubled=0)
    question = wei.ask(
        "“deposit” 应该译成“押金”还是“定金”?",
        body="两个词在法律上不一样:定金在违约时不退,押金会退。预订页上写的是哪一种?",
        options=["押金(可退)", "定金(不退)"],
    )
    iris.answer(question, "押金(可退)。In `refund.go` it goes back in full until 48 h before.")
    wei.report("术语表已更新:deposit 一律译作“押金”")
    wei.note("/kv/progress", {"done": 11, "total": 34})


def wednesday(iris: DemoAgent, wei: DemoAgent) -> None:
    """Wait for people, and do something else meanwhile."""
    iris.ask(
        "Should a cancelled booking keep its berth number in the invoice?",
        body=(
            "The mail says it does, the PDF leaves it out. Accounting asked for it once, in March; nobody answered "
            "then. I can do either in an hour."
        ),
        context="`services/worker/invoice/pdf.go:88`",
        options=["Keep it in both", "Leave it out of both"],
        deadline_s=7 * DAY,
    )
    iris.report("HAR-240: the nightly tide import retries with backoff now; it had failed silently since Sunday")
    wei.page("值班手册.md")
    wei.finish("用户指南第一部分译完:18 页,链接和术语检查都通过", pages=18, checks=["links", "terms"])
    wei.note("/kv/progress", {"done": 18, "total": 34})


def thursday(iris: DemoAgent, wei: DemoAgent) -> None:
    """Something is slow."""
    iris.report("Alert: POST /bookings p95 412 ms for 10 minutes", metric="harbor_booking_seconds", p95_ms=412)
    iris.note(
        "/fs/findings/slow.md",
        "Seq scan on booking, 1.9 M rows.\n`booking_marina_arrival` is INVALID since the deploy of the 3rd.\n",
    )
    iris.finish("p95 of POST /bookings is back to 96 ms: an invalid index was built again", before_ms=412, after_ms=96)
    iris.show("latency.html", "POST /bookings, p95 by hour", "html", description="Before and after the new index.")
    iris.page("runbooks/slow-bookings.md")
    wei.propose(
        "发布中文站:/zh/ 下 34 页里的 29 页",
        body="还差 5 页(发票与退款),它们会显示英文并带提示。也可以等到下周一一起发布。",
        proposal={"path": "/zh/", "pages": 29, "missing": "show-english"},
        deadline_s=4 * DAY,
    )


def friday(iris: DemoAgent, wei: DemoAgent) -> None:
    """Hand over."""
    iris.draft(
        "Overlapping bookings are refused by the database",
        "decision",
        body=(
            "## Decision\n\nTwo bookings of one berth never share a night. An exclusion constraint says so; no service "
            "checks it again.\n\n## Why\n\nA check that reads before it writes let 1 of 500 pairs through.\n"
        ),
        sources=[{"kind": "url", "url": "https://www.postgresql.org/docs/current/ddl-constraints.html"}],
    )
    iris.ask(
        "May I delete the old availability cache?",
        body="Nothing reads it since the constraint: 0 hits in 48 h. It holds 2.1 GB of Redis.",
        options=["Delete it", "Keep it another week"],
    )
    iris.note(
        "/fs/handoff.md",
        "# Where things stand\n\nHAR-231 waits for approval of the 03:00 window. Everything else is merged.\n",
    )
    wei.note("/kv/progress", {"done": 29, "total": 34})
    wei.end("还差 5 页:发票与退款。术语表已定稿,值班手册已写好。等待发布批准。")
    iris.finish(LAST_WORDS, p95_ms=96, double_bookings=0)
    iris.end("HAR-231 waits for the approval of its window. Plan and findings are in the brain: /fs/handoff.md.")
