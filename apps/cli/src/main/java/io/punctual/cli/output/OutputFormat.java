package io.punctual.cli.output;

/** The formats of data on standard output. */
public enum OutputFormat {
  /** A table for people. */
  TABLE,
  /** A JSON array or object. */
  JSON,
  /** A JSON object in each line. */
  NDJSON
}
