# An image with ctx, for CI and for machines without Node.js:
#   docker build --tag ctx . && docker run --rm --volume "$PWD:/work" ctx check sessions
# Until the package is on npm, `npm pack` writes it here: --build-arg PACKAGE=/source/pi-ctx-0.1.0.tgz
FROM node:24-alpine
ARG PACKAGE=pi-ctx@0.1.0
RUN --mount=type=bind,target=/source npm install --global --no-audit --no-fund "$PACKAGE" && npm cache clean --force
USER node
WORKDIR /work
ENTRYPOINT ["ctx"]
