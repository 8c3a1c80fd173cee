# Stele in a container: a stage that builds it, one that gathers what it links, and the image.
#
#   docker build -t stele .
#   docker run -p 8080:8080 -e STELE_TOKEN=secret stele
#   docker run -p 8080:8080 -v stele:/data -v "$PWD/My.xcdatamodeld:/My.xcdatamodeld:ro" \
#       -e STELE_TOKEN=secret stele serve /My.xcdatamodeld
#
# It listens on every address of the container, so it requires a token (or STELE_INSECURE=true).
# Clients that call it by a name need STELE_ALLOW_HOST. The health check reads the environment and not
# the flags of serve: give the port, the base path and the certificate as STELE_PORT and so on.

FROM swift:6.3-bookworm AS build
WORKDIR /src

COPY Config/install-dependencies.sh Config/
RUN Config/install-dependencies.sh && rm -rf /var/lib/apt/lists/*

# Packages are resolved before the sources are copied, so a change of the sources keeps this layer.
COPY Package.* ./
RUN swift package resolve

# The commit, for `stele --version`: --build-arg STELE_BUILD="$(git describe --always)"
ARG STELE_BUILD=development

COPY Plugins Plugins
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --product stele --static-swift-stdlib \
        -Xswiftc -cross-module-optimization -Xlinker -s \
    && install -D .build/release/stele /out/stele

# Gathers what the program links. The rest of the distribution stays behind.
FROM debian:bookworm-slim AS run
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libexpat1 libgnutls30 libjansson4 libmicrohttpd12 libpq5 libsqlite3-0 libstdc++6 zlib1g

COPY --from=build /out/stele /image/usr/bin/stele
COPY LICENSE /image/usr/share/doc/stele/
COPY Config/Models /image/usr/share/stele/Models
COPY Config/Seeds /image/usr/share/stele/Seeds
# Every user may write to /data, so that a volume also works with `docker run --user`.
RUN install -d /image/etc /image/usr/share/doc/stele/licences \
    && for library in $(ldd /image/usr/bin/stele | grep -o '/[^ ]*'); do \
        install -D "$library" "/image$library" || exit 1; \
        package=$(dpkg -S "*/$(basename "$(readlink -f "$library")")" | head -n 1 | cut -d : -f 1); \
        cp "/usr/share/doc/$package/copyright" "/image/usr/share/doc/stele/licences/$package" \
            || exit 1; \
    done \
    && echo 'root:x:0:0::/:' > /image/etc/passwd \
    && echo 'stele:x:10001:10001::/data:' >> /image/etc/passwd \
    && printf 'root:x:0:\nstele:x:10001:\n' > /image/etc/group \
    && echo 'hosts: files dns' > /image/etc/nsswitch.conf \
    && install -d -m 1777 /image/tmp \
    && install -d -o 10001 -g 10001 -m 1777 /image/data

# No shell and no package manager: only the program, its libraries and the samples.
FROM scratch
COPY --from=run /image /

# The allocator's tunable is read before the program's first line (Docs/Performance.md).
ENV PATH=/usr/bin STELE_HOST=0.0.0.0 STELE_PORT=8080 GLIBC_TUNABLES=glibc.malloc.tcache_count=64:glibc.malloc.tcache_max=384
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s CMD ["stele", "health"]
ENTRYPOINT ["stele"]
CMD ["serve"]
