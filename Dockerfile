# driftline in a container: non-root, with a read-only root file system if you like, and /data as the only place that it writes to.
#
#     docker build --build-arg COMMIT=$(git rev-parse HEAD) -t driftline .
#     docker run --read-only --tmpfs /tmp -p 127.0.0.1:8765:8765 -v driftline:/data driftline
#
# `.ci/image` builds and tries it where no Docker engine runs.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv
WORKDIR /build
COPY requirements.lock ./
# The lock's versions for what driftline itself needs; what only its tests need stays out.
RUN sed -e '/^ *--hash/d' -e 's/ *\\$//' requirements.lock > constraints.txt && python3 -m venv /opt/driftline
COPY pyproject.toml README.md LICENSE ./
COPY .ci/build_hook.py .ci/
COPY src src
ARG COMMIT=
RUN DRIFTLINE_COMMIT=$COMMIT /opt/driftline/bin/pip install --no-cache-dir --constraint constraints.txt ".[all]" \
    && /opt/driftline/bin/pip uninstall --yes pip setuptools

FROM ${BASE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/* \
    && useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin driftline \
    && install --directory --owner=driftline --group=driftline --mode=700 /data
COPY --from=build /opt/driftline /opt/driftline
ENV PATH=/opt/driftline/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/data \
    DRIFTLINE_DB=sqlite:////data/driftline.db \
    PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python3", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8765/readyz', timeout=8)"]
ENTRYPOINT ["driftline"]
CMD ["serve", "--host", "0.0.0.0"]
