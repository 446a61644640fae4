package io.punctual.cli;

/** How data is written. */
enum OutputFormat {
  /** For people. */
  TABLE,
  /** One JSON value. */
  JSON,
  /** One JSON object a line. */
  NDJSON
}
