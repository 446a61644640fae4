package io.punctual.cli.deadletter;

import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.EnumNames;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select dead letters. */
final class DeadLetterOptions {
  @Option(
      names = "--group",
      paramLabel = "KEY",
      description = "Only the dead letters of a group; 'dead-letters groups' shows the keys.")
  private @Nullable String group;

  @Option(
      names = "--reason",
      paramLabel = "REASON",
      completionCandidates = EnumNames.DeadReasons.class,
      description = "Only this reason: ${COMPLETION-CANDIDATES}.")
  private @Nullable DeadReason reason;

  @Option(
      names = "--failure",
      paramLabel = "TEXT",
      description = "Only failures with this text, such as a class of exceptions or a method.")
  private @Nullable String failure;

  @Option(
      names = "--died-from",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Only deaths at or after this instant, such as 2030-01-31T12:00:00Z.")
  private @Nullable Instant diedFrom;

  @Option(
      names = "--died-before",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Only deaths before this instant.")
  private @Nullable Instant diedBefore;

  @Option(
      names = "--id-prefix",
      paramLabel = "TEXT",
      description = "Only ids that begin with this text.")
  private @Nullable String idPrefix;

  boolean isGiven() {
    return !filter().equals(DeadLetterFilter.ALL);
  }

  DeadLetterFilter filter() {
    DeadLetterFilter filter = DeadLetterFilter.ALL;
    filter = group == null ? filter : filter.withGroup(group);
    filter = reason == null ? filter : filter.withReason(reason);
    filter = failure == null ? filter : filter.withFailure(failure);
    filter = diedFrom == null ? filter : filter.withDiedFrom(diedFrom);
    filter = diedBefore == null ? filter : filter.withDiedBefore(diedBefore);
    return idPrefix == null ? filter : filter.withIdPrefix(idPrefix);
  }
}
