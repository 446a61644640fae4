package io.punctual.cli.output;

import picocli.CommandLine.Option;

/** In which format data is written. */
public final class OutputOption {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      completionCandidates = LowerCase.Formats.class,
      description = "table, json or ndjson (default: ${DEFAULT-VALUE}).")
  private OutputFormat format;

  public OutputFormat format() {
    return format;
  }
}
