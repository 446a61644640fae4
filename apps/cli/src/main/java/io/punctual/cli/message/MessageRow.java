package io.punctual.cli.message;

import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Json;

/** The fields of a message in a list. A table shows the columns that matter in the state. */
final class MessageRow {
  private static final int LONGEST = 100;

  private MessageRow() {}

  /**
   * Returns the fields of messages in this state.
   *
   * @param showsRecurrence whether the table shows the next occurrences and the recurrence after
   *     the id and the time, instead of other columns; without effect for finished messages
   */
  static Fields<MessageView> fields(State state, boolean showsRecurrence) {
    Fields<MessageView> id = new Fields<MessageView>().cell("id", view -> view.message().id());
    Fields<MessageView> time = id.cell(timeLabel(state), view -> time(view.message()));
    return columns(time, state, showsRecurrence).json(MessageView.FIELDS::write);
  }

  private static Fields<MessageView> columns(
      Fields<MessageView> fields, State state, boolean showsRecurrence) {
    if (state == State.FINISHED) {
      return fields;
    }
    if (showsRecurrence) {
      return fields
          .cell("then", view -> view.next().text(" "))
          .cell("recurrence", view -> cut(view.next().recurrence()));
    }
    Fields<MessageView> holder =
        state == State.LEASED ? fields.cell("leased by", MessageView::holder) : fields;
    Fields<MessageView> attempts =
        holder.cell("attempts", view -> Integer.toString(view.message().attempts()));
    return state == State.DEAD
        ? attempts.cell("reason", view -> cut(view.reason()))
        : attempts.cell("payload", view -> cut(view.payload()));
  }

  private static String timeLabel(State state) {
    return switch (state) {
      case SCHEDULED, READY -> "due";
      case LEASED -> "leased until";
      case DEAD -> "died";
      case FINISHED -> "remembered until";
    };
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
}
