package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.migration.Importer;
import io.punctual.migration.sql.DbSchedulerImport;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Imports a one-time task of db-scheduler. */
@Command(
    name = "db-scheduler",
    description = {
      "Imports the executions of a one-time task of db-scheduler; the task data become payloads"
          + " byte for byte. After a crash, run the command again: no execution is lost, and none"
          + " is imported twice.",
      "",
      "Executions that cannot be imported stay in the table; then the exit code is 1."
    },
    mixinStandardHelpOptions = true)
final class DbSchedulerCommand extends ImporterCommand {
  @Option(
      names = "--from",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description =
          "The database of db-scheduler, such as jdbc:postgresql://localhost/shop; or @FILE: a file"
              + " with its URL.")
  private String from;

  @Option(
      names = "--task",
      paramLabel = "NAME",
      description = "The name of the task; QUEUE by default.")
  private @Nullable String task;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "scheduled_tasks",
      description = "The table (default: ${DEFAULT-VALUE}).")
  private String table;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = {
        "The time zone of execution times, such as Europe/Berlin; required if their column has"
            + " none."
      })
  private @Nullable ZoneId zone;

  @Override
  Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    DbSchedulerImport<byte[]> importer =
        DbSchedulerImport.from(from, task == null ? queue.name() : task).to(queue).table(table);
    return zone == null ? importer : importer.zone(zone);
  }
}
