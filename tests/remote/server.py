"""A server for the tests of push --profile, on the loopback.

server.py FOLDER PORTFILE [CERT KEY]: each request is written to FOLDER/N.json (method, path, headers) and
FOLDER/N.body.
FOLDER/answers holds one line per answer, "STATUS [HEADER: VALUE]"; the first line is taken for each request, 200 if
there is none.  Serves until its standard input ends.
"""
import json
import os
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

FOLDER, PORTFILE = sys.argv[1:3]


class Recorder(BaseHTTPRequestHandler):
    count = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        n = Recorder.count = Recorder.count + 1
        with open(f"{FOLDER}/{n}.body", "wb") as f:
            f.write(body)
        with open(f"{FOLDER}/{n}.json", "w") as f:
            json.dump({"method": self.command, "path": self.path, "headers": dict(self.headers)}, f)
        answers = open(f"{FOLDER}/answers").read().splitlines() if os.path.exists(f"{FOLDER}/answers") else []
        status, _, header = (answers[0] if answers else "200").partition(" ")
        with open(f"{FOLDER}/answers", "w") as f:
            f.writelines(a + "\n" for a in answers[1:])
        text = b'{"code":"internal","message":"\x1b[31mno\x1b[0m"}' if status != "200" else b"{}"
        self.send_response(int(status))
        if header:
            self.send_header(*header.split(": ", 1))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        Recorder.count += 1
        with open(f"{FOLDER}/{Recorder.count}.json", "w") as f:
            json.dump({"method": "GET", "path": self.path, "headers": dict(self.headers)}, f)
        self.send_error(404)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Recorder)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[3:5])
    server.socket = context.wrap_socket(server.socket, server_side=True)


def serve():
    while True:
        try:
            server.serve_forever()
        except (OSError, ssl.SSLError):
            pass


threading.Thread(target=serve, daemon=True).start()
with open(PORTFILE, "w") as f:
    f.write(f"{server.server_port}\n")
sys.stdin.read()
