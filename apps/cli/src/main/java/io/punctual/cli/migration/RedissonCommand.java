package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.cli.output.EnumNames;
import io.punctual.migration.Importer;
import io.punctual.migration.redisson.Orphans;
import io.punctual.migration.redisson.ReadyList;
import io.punctual.migration.redisson.RedissonImport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Imports a Redisson delayed queue. */
@Command(
    name = "redisson",
    description = {
      "Imports a delayed queue of Redisson (RDelayedQueue) into QUEUE, beside processes that still"
          + " use Redisson. After a crash, run the command again: no entry is lost, and none is"
          + " imported twice.",
      "",
      "With --follow, it also ends when the queue is empty and no client of Redisson is subscribed"
          + " to it.",
      "",
      "The exit code is 1 if entries could not be imported; they stay in Redis, and --abort puts"
          + " them back."
    },
    mixinStandardHelpOptions = true)
final class RedissonCommand extends ImporterCommand {
  @Option(
      names = "--from",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description =
          "The Redis of Redisson, such as redis://localhost:6379; or @FILE: a file with its URL.")
  private String from;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "The name of the queue in Redisson; QUEUE by default.")
  private @Nullable String source;

  @Option(
      names = "--payload",
      paramLabel = "FORM",
      defaultValue = "bytes",
      converter = PayloadForm.Names.class,
      completionCandidates = PayloadForm.Names.class,
      description = {
        "bytes, string, json or untyped-json (default: ${DEFAULT-VALUE}). untyped-json removes the"
            + " names of classes that JsonJacksonCodec writes."
      })
  private PayloadForm payload;

  @Option(
      names = "--orphans",
      paramLabel = "ACTION",
      defaultValue = "import",
      completionCandidates = OrphanNames.class,
      description = "Due times without an entry: import or skip (default: ${DEFAULT-VALUE}).")
  private Orphans orphans;

  @Option(
      names = "--ready",
      paramLabel = "ACTION",
      defaultValue = "leave",
      completionCandidates = ReadyNames.class,
      description = {
        "Due entries that wait for a taker of Redisson: leave or move (default: ${DEFAULT-VALUE})."
      })
  private ReadyList ready;

  @Override
  Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    return RedissonImport.from(from)
        .queue(source == null ? queue.name() : source)
        .to(queue, payload.reader())
        .orphans(orphans)
        .ready(ready);
  }

  /** The actions for due times without an entry. */
  static final class OrphanNames extends EnumNames {
    OrphanNames() {
      super(Orphans.values());
    }
  }

  /** The actions for the ready list. */
  static final class ReadyNames extends EnumNames {
    ReadyNames() {
      super(ReadyList.values());
    }
  }
}
