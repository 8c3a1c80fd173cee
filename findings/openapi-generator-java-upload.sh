#!/bin/sh
# openapi-generator 7.26.0, Java with the JDK's HTTP client: an upload sends the name of the file.
#
# The body of an operation is application/octet-stream, of the schema that every generator knows as
# bytes (type: string, format: binary). The method that is generated takes a java.io.File, but writes
# it with Jackson, as if the body were JSON. So the server gets the path of the file in quotes, with
# Content-Type application/octet-stream, and stores that, and the bytes are lost. The Python, Go
# and TypeScript clients of the same document send the bytes.
# Needs a JDK (Debian's default-jdk-headless).
set -eu
version=7.26.0
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv tools
tools/bin/pip install -q "openapi-generator-cli==$version"
jar=$(find tools -name 'openapi-generator.jar')
packages="libhttpcore-java libhttpclient-java libhttpmime-java libjsr305-java libgeronimo-annotation-1.3-spec-java"
apt-get download -o APT::Sandbox::User=root $packages > /dev/null
for package in ./*.deb; do dpkg -x "$package" root; done

cat > document.json << 'JSON'
{"openapi": "3.1.0", "info": {"title": "Files", "version": "1"}, "servers": [{"url": "/"}],
 "paths": {"/file": {"put": {"operationId": "setFile", "tags": ["File"],
  "requestBody": {"required": true, "content": {"application/octet-stream":
   {"schema": {"type": "string", "format": "binary"}}}},
  "responses": {"204": {"description": "Done."}}}}}}
JSON
java -jar "$jar" generate -i document.json -g java --library native \
    --additional-properties=openApiNullable=false -o client > log

cat > server.py << 'PYTHON'
import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        open("received", "w").write(f"{self.headers['Content-Type']}: {body!r}")
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


service = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port", "w").write(str(service.server_port))
service.serve_forever()
PYTHON
python3 server.py & server=$!

cat > Upload.java << 'JAVA'
import java.nio.file.Files;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.FileApi;

class Upload {
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of("photo");
        Files.write(file, new byte[] {1, 2, 3});
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        new FileApi(client).setFile(file.toFile());
    }
}
JAVA
path="classes:$jar:$(find root/usr/share/java -name '*.jar' | tr '\n' ':')"
javac -nowarn -d classes -cp "$path" $(find client/src/main -name '*.java') Upload.java 2> log
java -cp "$path" Upload "http://127.0.0.1:$(cat port)"

echo "version: openapi-generator-cli $version, $(java --version | head -n 1)"
echo "the file has the bytes 1 2 3, and its name is photo"
echo "received: $(cat received)"
grep -q "^application/octet-stream: b'\"/.*/photo\"'$" received
echo "as found: the client sends the path of the file as JSON, and not its bytes"
