# syntax=docker/dockerfile:1.12
#
# Two images. The last stage is the default:
#
#   docker build --build-arg VERSION=1.0.0 -t breakwire .
#       the static binary and nothing else: for a debug adapter elsewhere (--connect), and for recordings
#
#   docker build --target netcoredbg -t breakwire:netcoredbg .
#       with netcoredbg and the .NET SDK, to debug .NET programs that are in the container. For another release of netcoredbg
#       give NETCOREDBG_VERSION, and NETCOREDBG_SHA256 of its netcoredbg-linux-ARCH.tar.gz.
#
# A debugger needs the right to trace: run with --cap-add=SYS_PTRACE. MCP is spoken on standard input and output: run with -i.

# Whose the images are: the owner that server.json names.
ARG OWNER=breakwire

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
ARG TARGETOS
ARG TARGETARCH
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
ARG TARGETARCH
ARG NETCOREDBG_VERSION=3.1.3-1062
ARG NETCOREDBG_SHA256_AMD64=3814341c028c81ff7eea03ac316ad92e9ad7d705d2a00e3e3df269cdc241c763
ARG NETCOREDBG_SHA256_ARM64=fc9efb691a53932a7fac4b9f67af68ad0c2a4cbe59cb2c1a3c44c64959df2ba4
ARG NETCOREDBG_SHA256
WORKDIR /tmp
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
RUN case "$TARGETARCH" in \
      amd64) sum="${NETCOREDBG_SHA256:-$NETCOREDBG_SHA256_AMD64}" ;; \
      arm64) sum="${NETCOREDBG_SHA256:-$NETCOREDBG_SHA256_ARM64}" ;; \
      *) echo "netcoredbg has no release for $TARGETARCH" >&2; exit 1 ;; \
    esac \
 && archive="netcoredbg-linux-$TARGETARCH.tar.gz" \
 && curl -fsSLo "$archive" "https://github.com/Samsung/netcoredbg/releases/download/$NETCOREDBG_VERSION/$archive" \
 && echo "$sum  $archive" >sums \
 && sha256sum -c sums \
 && tar -xzf "$archive" -C /opt

FROM mcr.microsoft.com/dotnet/sdk:9.0-bookworm-slim AS netcoredbg
COPY --from=fetch /opt/netcoredbg /opt/netcoredbg
COPY --from=build /out/breakwire /usr/local/bin/breakwire
ARG OWNER
LABEL io.modelcontextprotocol.server.name="io.github.$OWNER/breakwire"
ENV NETCOREDBG_PATH=/opt/netcoredbg/netcoredbg
WORKDIR /work
ENTRYPOINT ["breakwire"]

FROM scratch AS breakwire
COPY --from=build /out/breakwire /breakwire
COPY LICENSE NOTICE /
ARG OWNER
LABEL io.modelcontextprotocol.server.name="io.github.$OWNER/breakwire"
USER 65532:65532
ENTRYPOINT ["/breakwire"]
