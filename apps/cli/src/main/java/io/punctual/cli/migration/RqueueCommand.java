package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.migration.Importer;
import io.punctual.migration.redis.RqueueImport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Imports a queue of Rqueue. */
@Command(
    name = "rqueue",
    description = {
      "Imports a queue of Rqueue, without its deleted and periodic messages, and without messages"
          + " that a listener has taken. After a crash, run the command again: no message is lost,"
          + " and none is imported twice.",
      "",
      "Messages that cannot be imported stay in Rqueue; then the exit code is 1."
    },
    mixinStandardHelpOptions = true)
final class RqueueCommand extends ImporterCommand {
  @Option(
      names = "--from",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description =
          "The Redis of Rqueue, such as redis://localhost:6379; or @FILE: a file with its URL.")
  private String from;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "The name of the queue in Rqueue; QUEUE by default.")
  private @Nullable String source;

  @Option(
      names = "--data-version",
      paramLabel = "NUMBER",
      description = "The version of Rqueue's data, 1 to 3; read from __rq::version by default.")
  private @Nullable Integer version;

  @Option(
      names = "--priority",
      paramLabel = "NAME",
      description = "The part of the queue with this priority.")
  private @Nullable String priority;

  @Option(
      names = "--keep-envelope",
      description = "Keep the envelope of Rqueue's default converter around the payloads.")
  private boolean keepEnvelope;

  @Option(names = "--no-hash-tags", description = "Rqueue runs with rqueue.cluster.mode=false.")
  private boolean noHashTags;

  @Override
  Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    RqueueImport<byte[]> importer =
        RqueueImport.from(from, source == null ? queue.name() : source)
            .to(queue)
            .unwrap(!keepEnvelope)
            .clusterMode(!noHashTags);
    if (version != null) {
      RqueueImport<byte[]> unused = importer.dataVersion(version);
    }
    return priority == null ? importer : importer.priority(priority);
  }
}
