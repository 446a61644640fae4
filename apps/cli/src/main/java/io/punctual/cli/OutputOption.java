package io.punctual.cli;

import picocli.CommandLine.Option;

/** In which format data is written. */
final class OutputOption {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      completionCandidates = LowerCase.Formats.class,
      description = "table, json or ndjson (default: ${DEFAULT-VALUE}).")
  private OutputFormat format;

  OutputFormat format() {
    return format;
  }
}
