#!/bin/sh
# Debian 12's caddy 2.6.2-5: `reverse_proxy` ends a response that broke off as if it were whole.
#
# The service behind it sends a chunked response and closes the connection before the last chunk.
# A client of the service itself sees that the transfer is not complete. Caddy logs "aborting with
# incomplete response" and sends the last chunk, so its client sees a whole response, of fewer bytes.
# flush_interval -1 makes no difference. Docs/Operations.md (Behind a proxy) names it.
set -eu
version=2.6.2-5
folder=$(mktemp -d)
trap 'kill $pids 2> /dev/null || true; rm -rf "$folder"' EXIT
pids=
cd "$folder"
export HOME="$folder"
apt-get download -o APT::Sandbox::User=root "caddy=$version" > /dev/null
dpkg -x ./caddy_*.deb root
cat > service.py <<'PYTHON'
import http.server


class Torn(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"5\r\nhello\r\n5\r\n worl")
        self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Torn)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 service.py > port &
pids=$!
while [ ! -s port ]; do sleep 0.1; done
front=$(python3 -c 'import socket; it = socket.socket(); it.bind(("127.0.0.1", 0)); print(it.getsockname()[1])')
cat > Caddyfile <<CADDY
{
	admin off
}
http://:$front {
	bind 127.0.0.1
	reverse_proxy 127.0.0.1:$(cat port) {
		flush_interval -1
	}
}
CADDY
root/usr/bin/caddy run --config Caddyfile --adapter caddyfile 2> log &
pids="$pids $!"

echo "version: $(root/usr/bin/caddy version), of $version"
direct=0 proxied=0
curl -s "http://127.0.0.1:$(cat port)/" > direct || direct=$?
curl -s --retry 20 --retry-connrefused --retry-delay 1 "http://127.0.0.1:$front/" > proxied || proxied=$?
echo "without Caddy: curl ends with status $direct, having read '$(cat direct)'"
echo "through Caddy: curl ends with status $proxied, having read '$(cat proxied)'"

[ "$direct" = 18 ]
[ "$proxied" = 0 ]
grep -q "aborting with incomplete response" log
echo "as found: the response that broke off ends as a whole one"
