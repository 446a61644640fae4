package io.punctual.cli.output;

import picocli.CommandLine.Option;

public final class OutputOption {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      completionCandidates = EnumNames.Formats.class,
      description = "table, json or ndjson (default: ${DEFAULT-VALUE}).")
  private OutputFormat format;

  public OutputFormat format() {
    return format;
  }
}
