package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.migration.ImportReport;
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
      "The exit code is 1 if entries could not be imported; they stay in Redis, and --abort puts"
          + " them back."
    },
    mixinStandardHelpOptions = true)
final class RedissonCommand extends ImportCommand {
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
      converter = PayloadForm.Converter.class,
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
      completionCandidates = ActionNames.OfOrphans.class,
      description = "Due times without an entry: import or skip (default: ${DEFAULT-VALUE}).")
  private Orphans orphans;

  @Option(
      names = "--ready",
      paramLabel = "ACTION",
      defaultValue = "leave",
      completionCandidates = ActionNames.OfReady.class,
      description = {
        "Due entries that wait for a taker of Redisson: leave or move (default: ${DEFAULT-VALUE})."
      })
  private ReadyList ready;

  @Option(
      names = "--follow",
      description =
          "Continue until the queue is empty and no client of Redisson is subscribed to it.")
  private boolean follow;

  @Option(
      names = "--abort",
      description = "Put the entries of an unfinished import back into the queue of Redisson.")
  private boolean abort;

  @Override
  boolean isAbort() {
    return abort;
  }

  @Override
  public void checkUsage() {
    if (abort && (follow || isDryRun())) {
      throw wrongUsage("--abort does not go with --follow and --dry-run");
    }
  }

  @Override
  Run prepare(TimedQueue<byte[]> queue, ImportProgress progress) {
    RedissonImport<byte[]> prepared =
        RedissonImport.from(from)
            .queue(source == null ? queue.name() : source)
            .to(queue, payload.reader())
            .orphans(orphans)
            .ready(ready)
            .follow(follow)
            .patience(patience())
            .progress(progress::counts)
            .onWait(progress::waits);
    return new Run() {
      @Override
      public ImportReport run() {
        return abort ? prepared.abort() : prepared.run();
      }

      @Override
      public ImportReport dryRun() {
        return prepared.dryRun();
      }

      @Override
      public void stop() {
        prepared.stop();
      }
    };
  }
}
