"""An application with one page, whose state is the page's and kept here for a verifier."""
import http.server
import sys

PAGE = b"""<!DOCTYPE html>
<title>Notes</title>
<h1>Notes</h1>
<button onclick="set('saved')">Save</button> <button onclick="set('deleted')">Delete</button> <output></output>
<script>
const state = {saved: false, deleted: false};
const push = () => fetch("/api/state", {method: "PUT", body: JSON.stringify(state)});
function set(what) { state[what] = true; document.querySelector("output").textContent += "Note " + what + ". "; push(); }
push();
</script>"""
state = None


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path != "/api/state":
            self.answer(200, PAGE)
        elif state is None:
            self.answer(404)
        else:
            self.answer(200, state)

    def do_PUT(self):
        global state
        state = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200)


http.server.ThreadingHTTPServer(("", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
