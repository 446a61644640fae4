package io.punctual.cli.migration;

import io.punctual.TimedQueue;
import io.punctual.cli.input.UrlConverter;
import io.punctual.migration.Importer;
import io.punctual.migration.redis.IdSource;
import io.punctual.migration.redis.ScoreUnit;
import io.punctual.migration.redis.ZsetImport;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Imports a delay queue on a sorted set. */
@Command(
    name = "zset",
    description = {
      "Imports a delay queue that an application keeps in a sorted set of Redis, with due times as"
          + " scores. After a crash, run the command again: no entry is lost, and none is imported"
          + " twice.",
      "",
      "Entries that cannot be imported stay where they are; then the exit code is 1."
    },
    mixinStandardHelpOptions = true)
final class ZsetCommand extends ImporterCommand {
  private static final String FIELD = "field:";

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
      names = "--wait",
      paramLabel = "KEY",
      required = true,
      description = "The sorted set, such as delay:wait:orders.")
  private String wait;

  @Option(
      names = "--unit",
      paramLabel = "UNIT",
      required = true,
      converter = UnitConverter.class,
      completionCandidates = Units.class,
      description = "The unit of the scores: ms or s.")
  private ScoreUnit unit;

  @Option(
      names = "--ready",
      paramLabel = "KEY",
      description =
          "The list of due entries, such as delay:active:orders. Not imported by default.")
  private @Nullable String ready;

  @Option(
      names = "--jobs",
      paramLabel = "KEY",
      description = "The hash with the payloads, if the members of the sorted set are ids.")
  private @Nullable String jobs;

  @Option(
      names = "--id",
      paramLabel = "SOURCE",
      converter = IdConverter.class,
      description = {
        "The ids of the messages: member, hash (of the member), or field:NAME of a JSON payload"
            + " (default: member with --jobs, else hash)."
      })
  private @Nullable IdSource id;

  @Option(
      names = "--any-time",
      description = "Also import entries that are due before 2000 or after 2199.")
  private boolean anyTime;

  @Override
  Importer<?, ?> importer(TimedQueue<byte[]> queue) {
    ZsetImport<byte[]> importer = ZsetImport.from(from, wait, unit).to(queue).anyTime(anyTime);
    if (ready != null) {
      ZsetImport<byte[]> unused = importer.ready(ready);
    }
    if (jobs != null) {
      ZsetImport<byte[]> unused = importer.jobs(jobs);
    }
    return id == null ? importer : importer.id(id);
  }

  static final class UnitConverter implements ITypeConverter<ScoreUnit> {
    @Override
    public ScoreUnit convert(String value) {
      return switch (value) {
        case "ms" -> ScoreUnit.MILLISECONDS;
        case "s" -> ScoreUnit.SECONDS;
        default -> throw new TypeConversionException("'" + value + "' is neither ms nor s");
      };
    }
  }

  /** The units, for shell completion. */
  static final class Units implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("ms", "s").iterator();
    }
  }

  /** Parses a source of ids. */
  static final class IdConverter implements ITypeConverter<IdSource> {
    @Override
    public IdSource convert(String value) {
      if (value.startsWith(FIELD) && value.length() > FIELD.length()) {
        return IdSource.field(value.substring(FIELD.length()));
      }
      return switch (value) {
        case "member" -> IdSource.member();
        case "hash" -> IdSource.hash();
        default ->
            throw new TypeConversionException(
                "'" + value + "' is neither member nor hash nor field:NAME");
      };
    }
  }
}
