package io.punctual.memory;

import static io.punctual.memory.PartitionClient.join;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Runs operations in the states of an id, and returns the outcomes as tables in Markdown. */
final class StateTable {
  private static final String ID = "m";
  private static final Content NEW = Content.of(new byte[] {9});
  private static final DueTime EARLIER = new DueTime(false, SetClock.START_MILLIS - 1_000);
  private static final DueTime LATER = new DueTime(true, 120_000);
  private static final byte[] HISTORY = {7};
  private static final long RESTORED = SetClock.START_MILLIS + 120_000;
  private static final long REMEMBERED = SetClock.START_MILLIS + 180_000;

  /** A state of an id; each message has or had a lease. */
  enum Initial {
    ABSENT("absent"),
    SCHEDULED("SCHEDULED"),
    READY("READY"),
    LEASED("LEASED"),
    EXPIRED("LEASED, expired"),
    CANCELLED("LEASED, cancelled"),
    CANCELLED_EXPIRED("LEASED, cancelled, expired"),
    CLAIMED_AGAIN("LEASED again"),
    DEAD("DEAD"),
    FINISHED("FINISHED");

    final String title;

    Initial(String title) {
      this.title = title;
    }
  }

  /** A row of a table: an operation, a claim or a purge. */
  private record Row(String title, Step step) {}

  /**
   * Executes the operation of a row, and returns the outcome. {@code token} is the token of the
   * first lease of the message.
   */
  private interface Step {
    String run(StateTable cell, long token);
  }

  private final SetClock clock = new SetClock();
  private final MemoryPartition partition =
      new MemoryQueue("orders", 1, clock, new ExistingQueues()).partitions().get(0);
  private final PartitionClient client = new PartitionClient(partition, "a");

  static String byId() {
    return byId(
        Initial.ABSENT,
        Initial.SCHEDULED,
        Initial.READY,
        Initial.LEASED,
        Initial.CANCELLED,
        Initial.DEAD,
        Initial.FINISHED);
  }

  static String byId(Initial... columns) {
    return table(
        "operation",
        List.of(columns),
        List.of(
            schedule("schedule, `KEEP` (default)", IfPresent.KEEP, LATER),
            schedule("schedule, `REJECT`", IfPresent.REJECT, LATER),
            schedule("schedule, `REPLACE`", IfPresent.REPLACE, LATER),
            schedule("schedule earlier, `EARLIEST`", IfPresent.EARLIEST, EARLIER),
            schedule("schedule later, `EARLIEST`", IfPresent.EARLIEST, LATER),
            row("restore", token -> new Operation.Restore(ID, RESTORED, 2, HISTORY, 0, NEW)),
            row("remember", token -> new Operation.Remember(ID, REMEMBERED)),
            row("cancel", token -> new Operation.Cancel(ID)),
            row("reschedule", token -> new Operation.Reschedule(ID, LATER)),
            row("run now", token -> new Operation.RunNow(ID)),
            changeWaiting("move if unchanged", LATER),
            changeWaiting("cancel if unchanged", null),
            row("redrive", token -> new Operation.Redrive(ID)),
            row("redrive, new payload", token -> new Operation.Redrive(ID, NEW)),
            row("delete a dead letter", token -> new Operation.DeleteDead(ID)),
            new Row("purge of this state", (cell, token) -> cell.purge())));
  }

  /** The table of the settlements, which have the token of the first lease. */
  static String settlements() {
    return table(
        "settlement",
        List.of(
            Initial.LEASED,
            Initial.EXPIRED,
            Initial.CANCELLED,
            Initial.CLAIMED_AGAIN,
            Initial.SCHEDULED,
            Initial.READY,
            Initial.DEAD,
            Initial.FINISHED,
            Initial.ABSENT),
        List.of(
            row("ack", token -> new Operation.Ack(ID, token)),
            row("ack, `rememberFor`", token -> new Operation.Ack(ID, token, 60_000)),
            row("retry", token -> new Operation.Retry(ID, token, LATER, HISTORY)),
            row("defer", token -> new Operation.Release(ID, token, LATER)),
            row("release", token -> new Operation.Release(ID, token, null)),
            row("repeat", token -> new Operation.Repeat(ID, token, LATER, null)),
            row("repeat, new payload", token -> new Operation.Repeat(ID, token, LATER, NEW)),
            row("bury", token -> new Operation.Bury(ID, token, HISTORY)),
            row("extend", token -> new Operation.Extend(ID, token, 90_000))));
  }

  /** The table of the claims by a second worker. */
  static String claims() {
    return table(
        "claim",
        List.of(
            Initial.SCHEDULED,
            Initial.READY,
            Initial.LEASED,
            Initial.EXPIRED,
            Initial.CANCELLED,
            Initial.CANCELLED_EXPIRED,
            Initial.DEAD,
            Initial.FINISHED),
        List.of(
            new Row("claim", (cell, token) -> cell.claim(false)),
            new Row("claim at most once", (cell, token) -> cell.claim(true))));
  }

  private static Row schedule(String title, IfPresent mode, DueTime due) {
    return row(title, token -> new Operation.Schedule(ID, due, mode, NEW));
  }

  private static Row row(String title, LongFunction<Operation> operation) {
    return new Row(title, (cell, token) -> cell.apply(operation.apply(token)));
  }

  /** A change after a listing that showed the present due time. */
  private static Row changeWaiting(String title, @Nullable DueTime due) {
    return new Row(
        title,
        (cell, token) -> {
          Entry listed = cell.find();
          long dueMillis = listed == null ? 0 : listed.dueMillis();
          return cell.apply(new Operation.ChangeWaiting(ID, dueMillis, due));
        });
  }

  private static String table(String corner, List<Initial> columns, List<Row> rows) {
    List<List<String>> lines = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of(corner));
    columns.forEach(state -> header.add(state.title));
    lines.add(header);
    for (Row row : rows) {
      List<String> line = new ArrayList<>(List.of(row.title));
      columns.forEach(state -> line.add(new StateTable().cell(state, row.step)));
      lines.add(line);
    }
    return MarkdownTable.of(lines);
  }

  private String cell(Initial state, Step step) {
    long token = arrange(state);
    Entry before = find();
    String outcome = step.run(this, token);
    String change = change(before, find());
    return outcome.isEmpty() || change.isEmpty() ? outcome + change : outcome + " " + change;
  }

  /** Brings the id into a state, and returns the token of its first lease. */
  private long arrange(Initial state) {
    client.schedule(ID, new DueTime(false, SetClock.START_MILLIS), IfPresent.KEEP);
    long token = client.claim(1, 30_000).token();
    switch (state) {
      case LEASED -> {}
      case ABSENT -> client.apply(new Operation.Ack(ID, token));
      case SCHEDULED -> client.apply(new Operation.Release(ID, token, new DueTime(true, 60_000)));
      case READY -> client.apply(new Operation.Release(ID, token, null));
      case DEAD -> client.apply(new Operation.Bury(ID, token, HISTORY));
      case FINISHED -> client.apply(new Operation.Ack(ID, token, 60_000));
      case EXPIRED -> clock.advance(Duration.ofSeconds(40));
      case CANCELLED -> client.apply(new Operation.Cancel(ID));
      case CANCELLED_EXPIRED -> {
        client.apply(new Operation.Cancel(ID));
        clock.advance(Duration.ofSeconds(40));
      }
      case CLAIMED_AGAIN -> {
        clock.advance(Duration.ofSeconds(40));
        client.claim(1, 30_000);
      }
    }
    return token;
  }

  private String apply(Operation operation) {
    Outcome outcome = client.apply(operation).get(0);
    if (outcome instanceof Outcome.OfSchedule schedule) {
      return code(schedule.outcome());
    } else if (outcome instanceof Outcome.OfCancel cancel) {
      return code(cancel.outcome());
    } else if (outcome instanceof Outcome.OfReschedule reschedule) {
      return code(reschedule.outcome());
    } else if (outcome instanceof Outcome.OfDeadLetter deadLetter) {
      return code(deadLetter.outcome());
    }
    return code(((Outcome.OfSettlement) outcome).outcome());
  }

  private static String code(Enum<?> outcome) {
    return "`" + outcome + "`";
  }

  private String claim(boolean atMostOnce) {
    Reply.Claimed claimed =
        (Reply.Claimed) client.call(client.next(new Call.Claim(1, 30_000, atMostOnce)));
    return claimed.messages().isEmpty() ? "–" : "claimed";
  }

  private String purge() {
    Entry entry = find();
    return entry == null || join(partition.purge(Set.of(entry.state()))) == 0 ? "–" : "";
  }

  private @Nullable Entry find() {
    return join(partition.find(ID)).orElse(null);
  }

  private static String change(@Nullable Entry before, @Nullable Entry after) {
    if (after == null) {
      return before == null ? "" : "→ absent";
    }
    List<String> parts = new ArrayList<>();
    parts.add(after.state() + (after.cancelled() ? ", cancelled" : ""));
    if (after.state() == State.FINISHED) {
      return before != null && before.state() == State.FINISHED ? "" : "→ FINISHED";
    }
    if (before == null || !same(before.content(), after.content())) {
      parts.add("new message");
    } else {
      parts.addAll(changes(before, after));
    }
    boolean sameState =
        before != null
            && before.state() == after.state()
            && before.cancelled() == after.cancelled();
    return sameState && parts.size() == 1 ? "" : "→ " + String.join(", ", parts);
  }

  private static boolean same(@Nullable Content before, @Nullable Content after) {
    return before != null
        && Arrays.equals(before.payload(), Objects.requireNonNull(after).payload());
  }

  private static List<String> changes(Entry before, Entry after) {
    List<String> changes = new ArrayList<>();
    if (before.dueMillis() != after.dueMillis()) {
      changes.add("new due time");
    }
    if (before.attempts() != after.attempts()
        || (before.leasedUntilMillis() != 0 && before.state() != after.state())) {
      changes.add("attempts " + after.attempts());
    }
    if (before.leasedUntilMillis() != 0
        && after.leasedUntilMillis() != 0
        && before.leasedUntilMillis() != after.leasedUntilMillis()) {
      changes.add("new end of the lease");
    }
    return changes;
  }
}
