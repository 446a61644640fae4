package io.punctual.cli.message;

import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listed;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * A message in a list. A table shows the columns that matter in the state.
 *
 * @param view the message
 * @param showsRecurrence whether the table shows the next occurrences and the recurrence after the
 *     id and the time, instead of other columns; without effect for finished messages
 */
record MessageRow(MessageView view, boolean showsRecurrence) implements Listed {
  private static final int LONGEST = 100;

  /** Returns the columns of a list of messages in this state. */
  static String[] columns(State state, boolean showsRecurrence) {
    String[] columns = columns(state);
    return showsRecurrence && state != State.FINISHED
        ? new String[] {columns[0], columns[1], "THEN", "RECURRENCE"}
        : columns;
  }

  private static String[] columns(State state) {
    return switch (state) {
      case SCHEDULED, READY -> new String[] {"ID", "DUE", "ATTEMPTS", "PAYLOAD"};
      case LEASED -> new String[] {"ID", "LEASED UNTIL", "LEASED BY", "ATTEMPTS", "PAYLOAD"};
      case DEAD -> new String[] {"ID", "DIED", "ATTEMPTS", "REASON"};
      case FINISHED -> new String[] {"ID", "REMEMBERED UNTIL"};
    };
  }

  @Override
  public List<String> cells() {
    StoredMessage<byte[]> message = view.message();
    if (message.state() == State.FINISHED) {
      return List.of(message.id(), time(message));
    }
    if (showsRecurrence) {
      NextOccurrences next = view.next();
      return List.of(message.id(), time(message), next.text(" "), cut(next.recurrence()));
    }
    if (message.state() == State.LEASED) {
      return List.of(
          message.id(),
          time(message),
          view.holder(),
          Integer.toString(message.attempts()),
          cut(view.payload()));
    }
    String last = message.state() == State.DEAD ? view.reason() : view.payload();
    return List.of(message.id(), time(message), Integer.toString(message.attempts()), cut(last));
  }

  /** Returns the time that matters in the message's state. */
  private static String time(StoredMessage<?> message) {
    return switch (message.state()) {
      case SCHEDULED, READY, FINISHED -> Json.instant(message.dueAt());
      case LEASED -> message.leasedUntil().map(Json::instant).orElse("unknown");
      case DEAD -> Json.instant(message.diedAt().orElse(message.dueAt()));
    };
  }

  /** Cuts a long text for a table; JSON has the whole text. */
  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 3) + "...";
  }

  @Override
  public void writeFields(JsonGenerator json) {
    view.writeFields(json);
  }
}
