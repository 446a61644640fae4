package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.migration.Importer;
import io.punctual.migration.redis.DelayTableImport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Imports a topic of redis-delay-queue. */
@Command(
    name = "delay-table",
    description = {
      "Imports a topic of the layout of redis-delay-queue: a hash of payloads, a sorted set of due"
          + " times, and a list of due entries. After a crash, run the command again: no entry is"
          + " lost, and none is imported twice.",
      "",
      "Entries that cannot be imported stay where they are; then the exit code is 1."
    },
    mixinStandardHelpOptions = true)
final class DelayTableCommand extends ImporterCommand {
  @Option(
      names = "--from",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description =
          "The Redis of the old queue, such as redis://localhost:6379; or @FILE: a file with its"
              + " URL.")
  private String from;

  @Option(
      names = "--project",
      paramLabel = "NAME",
      required = true,
      description = "The project, which is the hash tag of the keys.")
  private String project;

  @Option(names = "--topic", paramLabel = "NAME", description = "The topic; QUEUE by default.")
  private @Nullable String topic;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      defaultValue = "Redis_Delay_Table",
      description = "The hash, without the project (default: ${DEFAULT-VALUE}).")
  private String table;

  @Override
  Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    return DelayTableImport.from(from, project, topic == null ? queue.name() : topic)
        .to(queue)
        .table(table);
  }
}
