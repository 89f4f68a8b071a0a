"""A stand-in for the comments of GitHub's REST API, on the loopback; the comments are in FILE (JSON).

github.py FILE PORTFILE: serves until its standard input ends.
"""
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATH, PORTFILE = sys.argv[1:3]
TOKEN = "Bearer s3cret"


class Api(BaseHTTPRequestHandler):
    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle_any(self):
        comments = json.load(open(PATH))
        if self.headers["Authorization"] != TOKEN:
            return self.answer(403, {"message": "Resource not accessible by integration"})
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        m = re.fullmatch(r"/repos/o/r/issues/7/comments\?per_page=100&page=(\d+)", self.path)
        if m and self.command == "GET":
            first = (int(m[1]) - 1) * 100
            return self.answer(200, comments[first:first + 100])
        one = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", self.path)
        if self.command == "POST" and self.path == "/repos/o/r/issues/7/comments":
            comments.append({"id": len(comments) + 1, "body": body["body"]})
        elif self.command == "PATCH" and one:
            comments[int(one[1]) - 1]["body"] = body["body"]
        else:
            return self.answer(404, {"message": "Not Found"})
        json.dump(comments, open(PATH, "w"))
        self.answer(200, {})

    do_GET = do_POST = do_PATCH = handle_any

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(PORTFILE, "w") as f:
    f.write(f"{server.server_port}\n")
sys.stdin.read()
