"""Measures the page: python Tests/Page/measure.py URL ENTITY

URL is a service with an entity of many rows, such as one million. It prints the time from the answer to
the first view, and the longest task and frame while the table is scrolled, from Chromium's own trace.
"""

import json
import re
import sys
from statistics import median

from playwright.sync_api import sync_playwright

from page import CHROMIUM

CATEGORIES = "toplevel,devtools.timeline,disabled-by-default-devtools.timeline.frame,blink.user_timing"


def trace(page, act):
    """The events of Chromium's trace while something is done."""
    client = page.context.new_cdp_session(page)
    client.send("Tracing.start", {"categories": CATEGORIES, "transferMode": "ReturnAsStream"})
    act()
    ended = {}
    client.once("Tracing.tracingComplete", lambda it: ended.update(it))
    client.send("Tracing.end")
    while "stream" not in ended:
        page.wait_for_timeout(20)
    text = ""
    while True:
        piece = client.send("IO.read", {"handle": ended["stream"]})
        text += piece["data"]
        if piece["eof"]:
            break
    client.detach()
    return json.loads(text)["traceEvents"]


def main_thread(events):
    """The tasks of the page's main thread, in milliseconds, longest first."""
    threads = {(it["pid"], it["tid"]) for it in events
               if it["name"] == "thread_name" and it["args"]["name"] == "CrRendererMain"}
    tasks = [it["dur"] / 1000 for it in events
             if it["name"] in ("RunTask", "ThreadControllerImpl::RunTask")
             and (it["pid"], it["tid"]) in threads and "dur" in it]
    return sorted(tasks, reverse=True)


def scroll(page):
    """Scrolls the table in all ways: by the wheel, to far places, by keys."""
    scroller = page.locator("stele-table .scroller")
    box = scroller.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(120):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(16)
    for part in (0.1, 0.5, 0.9, 0.25, 1, 0):
        scroller.evaluate("(it, part) => { it.scrollTop = part * it.scrollHeight }", part)
        page.wait_for_timeout(700)
        for _ in range(20):
            page.mouse.wheel(0, 1200)
            page.wait_for_timeout(16)
    scroller.focus()
    for key in ["PageDown"] * 40 + ["Control+End"] + ["PageUp"] * 20 + ["ArrowUp"] * 40:
        page.keyboard.press(key)
        page.wait_for_timeout(16)


# Notes when the frame after the one with what a selector finds begins: that one is on the screen then.
NOTE = """selector => new MutationObserver((_, observer) => {
    if (!document.querySelector(selector)) return
    observer.disconnect()
    requestAnimationFrame(() => { window.firstView = performance.now() })
}).observe(document, {subtree: true, childList: true, characterData: true})"""

ELAPSED = """() => new Promise(done => {
    const look = () => !window.firstView ? setTimeout(look, 20)
        : done(window.firstView - performance.getEntriesByType('navigation')[0].responseEnd)
    look()
})"""


def first_view(browser, url, selector):
    """Milliseconds from the last byte of the page's own answer to the view on the screen, as the browser
    times them. A new tab has no files yet and gets a process of its own; a reload has both."""
    tabs, reloads = [], []
    for _ in range(7):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_init_script(f"({NOTE})({json.dumps(selector)})")
        page = context.new_page()
        page.goto(url)
        tabs.append(page.evaluate(ELAPSED))
        for _ in range(2):
            page.reload()
            reloads.append(page.evaluate(ELAPSED))
        context.close()
    return (f"{median(tabs):.0f} ms in a new tab ({min(tabs):.0f} to {max(tabs):.0f}), "
            f"{median(reloads):.0f} ms after a reload ({min(reloads):.0f} to {max(reloads):.0f})")


def main(url, entity):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        target = f"{url}#/rows/{entity}"
        print("first view, table:", first_view(
            browser, target, "stele-table .row:not(.head):not(.loading) .cell:not(:empty)"))
        print("first view, model:", first_view(browser, url, "stele-model-graph .box"))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(target)
        page.get_by_text(re.compile(r"^[\d,]+ objects$")).wait_for(timeout=60_000)
        print(page.locator("stele-rows .footer").inner_text())
        events = trace(page, lambda: scroll(page))
        tasks = main_thread(events)
        over = sum(it > 50 for it in tasks)
        print(f"scrolling: {len(tasks)} tasks, longest {tasks[0]:.1f} ms, then "
              f"{', '.join(f'{it:.1f}' for it in tasks[1:6])}; {over} over 50 ms")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:3])
