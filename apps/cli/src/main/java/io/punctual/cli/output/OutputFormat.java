package io.punctual.cli.output;

/** The formats of data on standard output. */
public enum OutputFormat {
  /** A table for people. */
  TABLE,
  /** One JSON value. */
  JSON,
  /** One JSON object in each line. */
  NDJSON
}
