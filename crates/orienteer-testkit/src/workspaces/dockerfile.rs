//! A Dockerfile.

/// Two stages.
///
/// - `build` Dockerfile 2:27, the name of a stage
/// - `build` Dockerfile 9:13, used to copy from
/// - `VERSION` Dockerfile 1:5, an argument
/// - `VERSION` Dockerfile 2:15, used
///
/// The file is free of errors. [`DOCKERFILE_BROKEN`] is a text for it with one.
pub const DOCKERFILE: &str = r#"//- /Dockerfile
ARG VERSION=1.19
FROM golang:${VERSION} AS build
WORKDIR /src
COPY go.mod main.go ./
RUN go build -o /shapes .

FROM debian:bookworm-slim
WORKDIR /srv
COPY --from=build /shapes /usr/bin/shapes
ENTRYPOINT ["/usr/bin/shapes"]
"#;

/// A text for Dockerfile with one error: an unknown instruction at 2:1.
pub const DOCKERFILE_BROKEN: &str = r#"FROM debian:bookworm-slim
RUNN echo hello
"#;
