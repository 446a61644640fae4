package io.punctual.cli.output;

/** How data is written. */
public enum OutputFormat {
  /** For people. */
  TABLE,
  /** One JSON value. */
  JSON,
  /** One JSON object a line. */
  NDJSON
}
