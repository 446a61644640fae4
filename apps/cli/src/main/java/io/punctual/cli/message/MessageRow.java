package io.punctual.cli.message;

import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.cli.output.DisplayWidth;
import io.punctual.cli.output.Fields;
import io.punctual.view.Values;

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
  static Fields<MessageEntry> fields(State state, boolean showsRecurrence) {
    Fields<MessageEntry> id = new Fields<MessageEntry>().cell("id", entry -> entry.message().id());
    Fields<MessageEntry> time = id.cell(timeLabel(state), entry -> time(entry.message()));
    return columns(time, state, showsRecurrence).json(MessageEntry.FIELDS::write);
  }

  private static Fields<MessageEntry> columns(
      Fields<MessageEntry> fields, State state, boolean showsRecurrence) {
    if (state == State.FINISHED) {
      return fields;
    }
    if (showsRecurrence) {
      return fields
          .cell("then", entry -> entry.next(" "))
          .cell("recurrence", entry -> cut(entry.recurrence()));
    }
    Fields<MessageEntry> holder =
        state == State.LEASED ? fields.cell("leased by", MessageEntry::holder) : fields;
    Fields<MessageEntry> attempts =
        holder.cell("attempts", entry -> Integer.toString(entry.message().attempts()));
    return state == State.DEAD
        ? attempts.cell("reason", entry -> cut(entry.reason()))
        : attempts.cell("payload", entry -> cut(entry.payload()));
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
      case SCHEDULED, READY, FINISHED -> Values.instant(message.dueAt());
      case LEASED -> message.leasedUntil().map(Values::instant).orElse("unknown");
      case DEAD -> Values.instant(message.diedAt().orElse(message.dueAt()));
    };
  }

  /** Cuts a long text for a table; JSON has the whole text. */
  private static String cut(String text) {
    return DisplayWidth.cut(text, LONGEST);
  }
}
