# syntax=docker/dockerfile:1.12
#
# Two images. The last stage is the default:
#
#   docker build --build-arg VERSION=1.0.0 -t breakwire .
#       the static binary and nothing else: for a debug adapter elsewhere (--connect), and for recordings
#
#   docker build --target netcoredbg --build-arg NETCOREDBG_SHA256=... -t breakwire:netcoredbg .
#       with netcoredbg and the .NET SDK, to debug .NET programs that are in the container. The checksum is that of
#       netcoredbg-linux-ARCH.tar.gz of the release, for the architecture that is built: there is no default, so that nobody
#       trusts one that they have not looked up.
#
# A debugger needs the right to trace: run with --cap-add=SYS_PTRACE. MCP is spoken on standard input and output: run with -i.

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
ARG TARGETOS=linux
ARG TARGETARCH=amd64
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY adapter adapter
COPY cmd cmd
COPY dapclient dapclient
COPY fixtures fixtures
COPY mapping mapping
COPY tracepoints tracepoints
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/breakwire ./cmd/breakwire

FROM debian:12.12-slim AS fetch
ARG TARGETARCH=amd64
ARG NETCOREDBG_VERSION=3.1.2-1054
ARG NETCOREDBG_SHA256
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
RUN test -n "$NETCOREDBG_SHA256" || { echo "give --build-arg NETCOREDBG_SHA256: the checksum of netcoredbg-linux-$TARGETARCH.tar.gz of $NETCOREDBG_VERSION" >&2; exit 1; }
RUN curl -fsSLo /tmp/netcoredbg.tar.gz "https://github.com/Samsung/netcoredbg/releases/download/$NETCOREDBG_VERSION/netcoredbg-linux-$TARGETARCH.tar.gz" \
 && echo "$NETCOREDBG_SHA256  /tmp/netcoredbg.tar.gz" | sha256sum -c - \
 && tar -xzf /tmp/netcoredbg.tar.gz -C /opt

FROM mcr.microsoft.com/dotnet/sdk:9.0-bookworm-slim AS netcoredbg
COPY --from=fetch /opt/netcoredbg /opt/netcoredbg
COPY --from=build /out/breakwire /usr/local/bin/breakwire
LABEL io.modelcontextprotocol.server.name="io.github.breakwire/breakwire"
ENV NETCOREDBG_PATH=/opt/netcoredbg/netcoredbg
WORKDIR /work
ENTRYPOINT ["breakwire"]

FROM scratch AS breakwire
COPY --from=build /out/breakwire /breakwire
COPY LICENSE NOTICE /
LABEL io.modelcontextprotocol.server.name="io.github.breakwire/breakwire"
USER 65532:65532
ENTRYPOINT ["/breakwire"]
