package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.migration.Importer;
import io.punctual.migration.sql.QuartzImport;
import io.punctual.migration.sql.QuartzPayloads;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Imports jobs of Quartz that run once. */
@Command(
    name = "quartz",
    description = {
      "Imports the jobs of a group of Quartz that run once; their data become JSON objects. After a"
          + " crash, run the command again: no job is lost, and none is imported twice.",
      "",
      "Jobs that cannot be imported stay in the tables; then the exit code is 1."
    },
    mixinStandardHelpOptions = true)
final class QuartzCommand extends ImporterCommand {
  @Option(
      names = "--from",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description =
          "The database of Quartz, such as jdbc:postgresql://localhost/shop; or @FILE: a file with"
              + " its URL.")
  private String from;

  @Option(
      names = "--group",
      paramLabel = "NAME",
      defaultValue = "DEFAULT",
      description = "The group of the jobs (default: ${DEFAULT-VALUE}).")
  private String group;

  @Option(
      names = "--scheduler",
      paramLabel = "NAME",
      description = "The name of the scheduler; required if several share the tables.")
  private @Nullable String scheduler;

  @Option(
      names = "--table-prefix",
      paramLabel = "PREFIX",
      defaultValue = "QRTZ_",
      description = "The prefix of the tables (default: ${DEFAULT-VALUE}).")
  private String prefix;

  @Option(
      names = "--java-serialization",
      description = {
        "Also read data in Java serialization. A filter admits strings, numbers and booleans only."
      })
  private boolean serialization;

  @Override
  Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    QuartzImport<byte[]> importer =
        QuartzImport.from(from, group)
            .to(queue, serialization ? QuartzPayloads.jsonOfSerialized() : QuartzPayloads.json())
            .tablePrefix(prefix);
    return scheduler == null ? importer : importer.scheduler(scheduler);
  }
}
