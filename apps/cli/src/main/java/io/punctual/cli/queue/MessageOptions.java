package io.punctual.cli.queue;

import io.punctual.State;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.EnumNames;
import io.punctual.task.MessageFilter;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select waiting messages. */
final class MessageOptions {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      completionCandidates = EnumNames.WaitingStates.class,
      description = "Only this state: ${COMPLETION-CANDIDATES} (default: both).")
  private @Nullable State state;

  @Option(
      names = "--due-from",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Only due times at or after this instant, such as 2030-01-31T12:00:00Z.")
  private @Nullable Instant dueFrom;

  @Option(
      names = "--due-before",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "Only due times before this instant.")
  private @Nullable Instant dueBefore;

  @Option(
      names = "--id-prefix",
      paramLabel = "TEXT",
      description = "Only ids that begin with this text.")
  private @Nullable String idPrefix;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Only messages with this header; may be repeated.")
  private Map<String, String> headers = Map.of();

  boolean isGiven() {
    return !filter().equals(MessageFilter.ALL);
  }

  /** Returns whether the state is of messages that don't wait. */
  boolean isOfOtherState() {
    return state != null && state != State.SCHEDULED && state != State.READY;
  }

  MessageFilter filter() {
    MessageFilter filter = MessageFilter.ALL;
    filter = state == null ? filter : filter.withState(state);
    filter = dueFrom == null ? filter : filter.withDueFrom(dueFrom);
    filter = dueBefore == null ? filter : filter.withDueBefore(dueBefore);
    filter = idPrefix == null ? filter : filter.withIdPrefix(idPrefix);
    for (Map.Entry<String, String> header : headers.entrySet()) {
      filter = filter.withHeader(header.getKey(), header.getValue());
    }
    return filter;
  }
}
