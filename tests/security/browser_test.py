#!/usr/bin/env python3
"""browser_test.py TILEWRIGHT [WORDS]: pages in headless Chromium against `serve`, `lsp` and `worker` on loopback, with every way that a page has
to send something: nothing that they send runs, and each connection is closed. Ends with 77 where there is no Chromium.

One page of another origin tries all ways on all servers and reports to the test. A second one is loaded by a name, whose server then makes room
for one of Tilewright's on the same port: what a name is that was bound again (DNS rebinding), its requests are of the same origin."""
import atexit
import base64
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from attack import Through, attack, main
from listening import KINDS, SCRIPT, Server, served

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
HOME = tempfile.TemporaryDirectory(prefix="tilewright-browser-", ignore_cleanup_errors=True)
WORK = os.path.join(HOME.name, "work")
MARK = os.path.join(HOME.name, "mark")
os.mkdir(WORK)
ENV = {**os.environ, "HOME": HOME.name, "XDG_CACHE_HOME": HOME.name + "/.cache", "XDG_CONFIG_HOME": HOME.name + "/.config"}
WAYS = ("fetch", "fetch of another kind", "fetch of 129 MB", "XMLHttpRequest", "beacon", "form", "WebSocket", "EventSource", "image", "script",
        "frame")
SECONDS = 60

PAGE = """<!doctype html><body><script>
const report = (id, said) => fetch(REPORT + "/report", {method: "POST", body: JSON.stringify([id, String(said)])});
const settled = (promise) => Promise.race([promise.then(r => "answered " + r, e => "refused: " + e),
                                           new Promise(done => setTimeout(() => done("open"), 15000))]);
const element = (name, set) => new Promise((yes, no) => {
  const e = document.createElement(name); e.onload = () => yes("loaded"); e.onerror = () => no("failed"); set(e); document.body.append(e); });
const ways = {
  "fetch": (at, data) => fetch(at, {method: "POST", body: data, headers: {"Content-Type": "text/plain"}}).then(r => r.text()),
  "fetch of another kind": (at, data) => fetch(at, {method: "PUT", body: data, headers: {"X-Content-Length": "2"}, mode: "no-cors"}).then(r => r.text()),
  "fetch of 129 MB": (at, data) => fetch(at, {method: "POST", mode: "no-cors",
      body: new Blob([new Uint8Array(1 << 20), data, ...Array(128).fill(new Uint8Array(1 << 20))])}).then(r => r.text()),
  "XMLHttpRequest": (at, data) => new Promise((yes, no) => { const x = new XMLHttpRequest(); x.open("POST", at);
      x.onload = () => yes(x.responseText); x.onerror = () => no("failed"); x.send(data); }),
  "beacon": (at, data) => new Promise((yes, no) => { navigator.sendBeacon(at, data); setTimeout(() => no("sent"), 1200); }),
  "form": (at, data) => new Promise((yes, no) => {
      const frame = document.createElement("iframe"); frame.name = "f" + Math.random(); document.body.append(frame);
      const form = document.createElement("form"); form.method = "POST"; form.enctype = "text/plain"; form.action = at; form.target = frame.name;
      const field = document.createElement("textarea"); field.name = "x"; field.value = data; form.append(field); document.body.append(form);
      form.submit(); setTimeout(() => no("sent"), 1200); }),
  "WebSocket": (at, data) => new Promise((yes, no) => { const w = new WebSocket(at.replace("http", "ws"));
      w.onopen = () => { w.send(data); yes("open"); }; w.onerror = () => no("failed"); }),
  "EventSource": (at) => new Promise((yes, no) => { const s = new EventSource(at); s.onopen = () => yes("open");
      s.onerror = () => { s.close(); no("failed"); }; }),
  "image": (at) => element("img", e => e.src = at),
  "script": (at) => element("script", e => e.src = at),
  "frame": (at) => new Promise((yes, no) => { const f = document.createElement("iframe"); f.src = at; document.body.append(f);
      setTimeout(() => no("sent"), 1200); }),
};
const text = (data) => new TextDecoder().decode(Uint8Array.from(atob(data), c => c.charCodeAt(0)));
(async () => {
  for (;;) {
    const next = await (await fetch(REPORT + "/next?" + ME)).json();
    if (!next) continue;
    const [id, way, at, data] = next;
    await report(id, await settled(ways[way](at, text(data))));
  }
})();
</script>"""


class Site(http.server.ThreadingHTTPServer):
    """Serves the page, hands out what it is to do next, and hears what came of it."""
    daemon_threads = True

    def __init__(self):
        self.todo, self.results = {me: [] for me in ("one", *KINDS)}, {}
        self.changed = threading.Condition()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, body, kind="application/json"):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                if self.path.startswith("/next?"):
                    me = self.path[6:]
                    with site.changed:
                        site.changed.wait_for(lambda: site.todo[me], SECONDS)
                        return self.answer(json.dumps(site.todo[me].pop(0) if site.todo[me] else None).encode())
                return self.answer(site.page("one").encode(), "text/html")

            def do_POST(self):
                name, said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with site.changed:
                    site.results[name] = said
                    site.changed.notify_all()
                self.answer(b"{}")

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def page(self, me):
        at = f'"http://127.0.0.1:{self.server_address[1]}"'
        return PAGE.replace("REPORT", at).replace("ME", f'"{me}"')

    def result(self, name, me, way, at, data):
        with self.changed:
            self.todo[me].append([name, way, at, base64.b64encode(data).decode()])
            self.changed.notify_all()
            if not self.changed.wait_for(lambda: name in self.results, SECONDS):
                raise Through(f"the page says nothing of {name}")
            return self.results.pop(name)


def once(port, page):
    """Serves the page to the first that asks for it on this port, and leaves the port."""
    listening = socket.create_server(("127.0.0.1", port))
    done = threading.Event()

    def answer(connection):
        connection.settimeout(SECONDS)
        try:
            if not connection.recv(65536).startswith(b"GET / "):  # one that was opened beforehand, or an icon
                return
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(page) + page)
            done.set()
        except OSError:
            pass
        finally:
            connection.close()

    def serve():
        listening.settimeout(0.1)
        while not done.is_set():
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            threading.Thread(target=answer, args=(connection,), daemon=True).start()
        listening.close()
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


STATE = {}


def browse(address):
    process = subprocess.Popen([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                                "--host-resolver-rules=MAP rebound.example 127.0.0.1", "--user-data-dir=" + tempfile.mkdtemp(dir=HOME.name),
                                "--remote-debugging-port=0", address],
                               env={**os.environ, "HOME": HOME.name}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    atexit.register(lambda: (process.kill(), process.wait()))
    return process


def site():
    if "site" not in STATE:
        STATE["site"] = Site()
        browse(f"http://127.0.0.1:{STATE['site'].server_address[1]}/")
    return STATE["site"]


def server(kind):
    if kind not in STATE:
        STATE[kind] = Server(kind, ENV, WORK)
        STATE[kind, "resident"] = STATE[kind].client()
        atexit.register(STATE[kind].end)
    return STATE[kind]


def unharmed(t, one, resident):
    time.sleep(0.2)
    t.absent(MARK)
    resident.ping()
    served(one)
    # The page's connections are no longer there: those of an honest client, and its listener, are.
    deadline = time.monotonic() + 5
    while (left := established(one.port)) > 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    t.holds(left <= 1, f"{left} connections are still open")


def established(port):
    with open("/proc/net/tcp", encoding="ascii") as f:
        rows = [line.split() for line in f][1:]
    return sum(row[1] == f"0100007F:{port:04X}" and row[3] == "01" for row in rows)


for kind in KINDS:
    for way in WAYS:
        @attack(f"{kind}: a page's {way}")
        def _(t, kind=kind, way=way):
            one = server(kind)
            said = site().result(f"{kind} {way}", "one", way, f"http://127.0.0.1:{one.port}/", one.harm(MARK))
            t.holds(said.startswith("refused"), f"the page says: {said}")
            unharmed(t, one, STATE[kind, "resident"])

    @attack(f"{kind}: a page whose name is bound to the server's address later")
    def _(t, kind=kind):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        loaded = once(port, site().page(kind).encode())
        browser = browse(f"http://rebound.example:{port}/")
        loaded.join(SECONDS)
        one = Server(kind, ENV, WORK, address=f"127.0.0.1:{port}")
        try:
            resident = one.client()
            for way in ("fetch", "XMLHttpRequest", "WebSocket", "form", "fetch of 129 MB"):
                said = site().result(f"{kind} rebound {way}", kind, way, f"http://rebound.example:{port}/", one.harm(MARK))
                t.holds(said.startswith("refused"), f"{way}: the page says: {said}")
                unharmed(t, one, resident)
        finally:
            browser.kill()
            browser.wait()
            one.end()


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: there is no Chromium (Debian: apt-get install chromium)")
        sys.exit(77)
    with open(os.path.join(WORK, "a.py"), "w", encoding="utf-8") as out:
        out.write(SCRIPT)
    main()
