# Stele in a container: a build stage with Swift, and a run stage without it.
#
#   docker build -t stele .
#   docker run -p 8080:8080 -e STELE_TOKEN=secret stele
#   docker run -p 8080:8080 -v stele:/data -v "$PWD/My.xcdatamodeld:/My.xcdatamodeld:ro" \
#       -e STELE_TOKEN=secret stele serve /My.xcdatamodeld
#
# It listens on every address of the container, so it requires a token (or STELE_INSECURE=true).

FROM swift:6.3-bookworm AS build
WORKDIR /src

COPY Config/install-dependencies.sh Config/
RUN Config/install-dependencies.sh && rm -rf /var/lib/apt/lists/*

# Packages are resolved before the sources are copied, so a change of the sources keeps this layer.
COPY Package.* ./
RUN swift package resolve

COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --product stele --static-swift-stdlib \
        -Xswiftc -cross-module-optimization -Xlinker -s \
    && install -D .build/release/stele /out/stele

FROM debian:bookworm-slim

# Every user may write to /data, so that a volume also works with `docker run --user`.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libexpat1 libjansson4 libmicrohttpd12 libsqlite3-0 libstdc++6 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /data \
        --shell /usr/sbin/nologin stele \
    && install -d -o stele -g stele -m 1777 /data

COPY LICENSE /usr/share/doc/stele/
COPY Config/Models /usr/share/stele/Models
COPY Config/Seeds /usr/share/stele/Seeds
COPY --from=build /out/stele /usr/bin/stele

# The allocator's tunable is read before the program's first line (Docs/Performance.md).
ENV STELE_HOST=0.0.0.0 STELE_PORT=8080 GLIBC_TUNABLES=glibc.malloc.tcache_count=64
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s CMD ["stele", "health"]
ENTRYPOINT ["stele"]
CMD ["serve"]
