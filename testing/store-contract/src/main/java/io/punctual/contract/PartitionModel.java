package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A partition as the contract defines it, in its simplest form: a map of messages, which each claim
 * and each count scan in full. The model computes the expected reply for the engine time of the
 * actual reply, so the store's clock may be real. For use by a single thread.
 */
final class PartitionModel {
  /** A message. Its {@code place} is {@link State#SCHEDULED} while it is scheduled or ready. */
  static final class Row {
    State place = State.SCHEDULED;
    Content content;
    long due;
    int attempts;
    byte[] history = {};
    long token;
    long leasedUntil;
    boolean cancelled;

    Row(Content content, long due) {
      this.content = content;
      this.due = due;
    }

    State stateAt(long nowMillis) {
      return place == State.SCHEDULED && due <= nowMillis ? State.READY : place;
    }

    void waitUntil(long time) {
      place = State.SCHEDULED;
      due = time;
    }

    /** The time from which the message can be claimed; {@link Long#MAX_VALUE} if it cannot be. */
    long earliest() {
      return switch (place) {
        case SCHEDULED, READY -> due;
        case LEASED -> leasedUntil;
        case DEAD, FINISHED -> Long.MAX_VALUE;
      };
    }

    boolean isForgotten(long nowMillis) {
      return place == State.FINISHED && due <= nowMillis;
    }

    void finish(long untilMillis) {
      waitUntil(untilMillis);
      place = State.FINISHED;
      attempts = 0;
      history = new byte[0];
      cancelled = false;
    }
  }

  /** Orders expired leases before due messages, and each of the two groups by time. */
  private static final Comparator<Row> CLAIM_ORDER =
      Comparator.<Row, Boolean>comparing(row -> row.place != State.LEASED)
          .thenComparing(Row::earliest);

  private final TreeMap<String, Row> rows = new TreeMap<>();
  private boolean paused;
  private long lastToken;

  /** Returns the row of an id, or null if the id is absent or forgotten at this time. */
  @Nullable Row row(String id, long nowMillis) {
    Row row = rows.get(id);
    return row == null || row.isForgotten(nowMillis) ? null : row;
  }

  void pause(boolean pause) {
    paused = pause;
  }

  boolean anyMarked() {
    return rows.values().stream().anyMatch(row -> row.cancelled);
  }

  /** Removes the messages in these places, and returns their number. */
  long purge(Set<State> places) {
    long before = rows.size();
    rows.values().removeIf(row -> places.contains(row.place));
    return before - rows.size();
  }

  PartitionCounts countsAt(long nowMillis) {
    return new PartitionCounts(
        count(State.SCHEDULED, nowMillis),
        count(State.READY, nowMillis),
        count(State.LEASED, nowMillis),
        count(State.DEAD, nowMillis),
        count(State.FINISHED, nowMillis),
        paused);
  }

  /**
   * Returns the milliseconds since the earliest due time of the ready messages; 0 if none is ready.
   */
  long overdueMillis(long nowMillis) {
    return rows.values().stream()
        .filter(row -> row.stateAt(nowMillis) == State.READY)
        .mapToLong(row -> nowMillis - row.due)
        .max()
        .orElse(0);
  }

  private long count(State state, long nowMillis) {
    return rows.values().stream()
        .filter(row -> row.stateAt(nowMillis) == state && !row.isForgotten(nowMillis))
        .count();
  }

  Outcome apply(Operation operation, long nowMicros) {
    Row row = row(operation.id(), nowMicros / 1000);
    if (operation instanceof Operation.Schedule schedule) {
      return schedule(schedule, row, nowMicros);
    } else if (operation instanceof Operation.Restore restore) {
      return restore(restore, row, nowMicros);
    } else if (operation instanceof Operation.Remember remember) {
      return remember(remember, row, nowMicros);
    } else if (operation instanceof Operation.Cancel) {
      return new Outcome.OfCancel(cancel(operation.id(), row));
    } else if (operation instanceof Operation.Reschedule reschedule) {
      return new Outcome.OfReschedule(move(row, reschedule.due().atMillis(nowMicros)));
    } else if (operation instanceof Operation.RunNow) {
      long now = DueTime.NOW.atMillis(nowMicros);
      return new Outcome.OfReschedule(move(row, row == null ? now : Math.min(row.due, now)));
    } else if (operation instanceof Operation.ChangeWaiting change) {
      return new Outcome.OfReschedule(change(change, row, nowMicros));
    } else if (operation instanceof Operation.Redrive redrive) {
      return new Outcome.OfDeadLetter(redrive(redrive.content(), row, nowMicros));
    } else if (operation instanceof Operation.DeleteDead) {
      return new Outcome.OfDeadLetter(deleteDead(operation.id(), row));
    }
    return new Outcome.OfSettlement(settle((Operation.Settlement) operation, row, nowMicros));
  }

  private Outcome schedule(Operation.Schedule asked, @Nullable Row row, long nowMicros) {
    long due = asked.due().atMillis(nowMicros);
    State previous = row == null ? null : row.stateAt(nowMicros / 1000);
    if (row == null || replaces(asked.ifPresent(), row, due)) {
      rows.put(asked.id(), new Row(asked.content(), due));
      return new Outcome.OfSchedule(
          row == null ? ScheduleOutcome.STORED : ScheduleOutcome.REPLACED, due, previous);
    }
    ScheduleOutcome kept =
        asked.ifPresent() == IfPresent.REJECT ? ScheduleOutcome.REJECTED : ScheduleOutcome.KEPT;
    return new Outcome.OfSchedule(kept, row.due, previous);
  }

  private Outcome remember(Operation.Remember asked, @Nullable Row row, long nowMicros) {
    if (row != null) {
      State previous = row.stateAt(nowMicros / 1000);
      return new Outcome.OfSchedule(ScheduleOutcome.REJECTED, row.due, previous);
    }
    Row remembered = new Row(Content.of(new byte[0]), asked.untilMillis());
    remembered.place = State.FINISHED;
    rows.put(asked.id(), remembered);
    return new Outcome.OfSchedule(ScheduleOutcome.STORED, asked.untilMillis(), null);
  }

  private Outcome restore(Operation.Restore asked, @Nullable Row row, long nowMicros) {
    if (row != null) {
      State previous = row.stateAt(nowMicros / 1000);
      return new Outcome.OfSchedule(ScheduleOutcome.REJECTED, row.due, previous);
    }
    Row restored = new Row(asked.content(), asked.dueMillis());
    restored.place = asked.isDead() ? State.DEAD : State.SCHEDULED;
    restored.attempts = asked.attempts();
    restored.history = asked.history();
    rows.put(asked.id(), restored);
    return new Outcome.OfSchedule(ScheduleOutcome.STORED, asked.dueMillis(), null);
  }

  private static boolean replaces(IfPresent mode, Row row, long due) {
    return switch (mode) {
      case REJECT -> false;
      case REPLACE -> true;
      case KEEP -> row.cancelled || row.place == State.DEAD;
      case EARLIEST ->
          row.cancelled
              || row.place == State.DEAD
              || (row.place == State.SCHEDULED && due < row.due);
    };
  }

  private CancelOutcome cancel(String id, @Nullable Row row) {
    if (row == null) {
      return CancelOutcome.NOT_FOUND;
    }
    switch (row.place) {
      case SCHEDULED, READY -> rows.remove(id);
      case LEASED -> row.cancelled = true;
      case DEAD, FINISHED -> {}
    }
    return switch (row.place) {
      case SCHEDULED, READY -> CancelOutcome.CANCELLED;
      case LEASED -> CancelOutcome.RUNNING;
      case DEAD -> CancelOutcome.DEAD;
      case FINISHED -> CancelOutcome.NOT_FOUND;
    };
  }

  private static RescheduleOutcome move(@Nullable Row row, long due) {
    if (row == null) {
      return RescheduleOutcome.NOT_FOUND;
    }
    return switch (row.place) {
      case LEASED -> RescheduleOutcome.RUNNING;
      case DEAD -> RescheduleOutcome.DEAD;
      case FINISHED -> RescheduleOutcome.NOT_FOUND;
      case SCHEDULED, READY -> {
        row.due = due;
        yield RescheduleOutcome.RESCHEDULED;
      }
    };
  }

  private RescheduleOutcome change(
      Operation.ChangeWaiting asked, @Nullable Row row, long nowMicros) {
    DueTime due = asked.due();
    if (row == null || row.place != State.SCHEDULED) {
      return move(row, 0);
    }
    if (row.due != asked.dueMillis()) {
      return RescheduleOutcome.NOT_FOUND;
    }
    if (due == null) {
      rows.remove(asked.id());
      return RescheduleOutcome.RESCHEDULED;
    }
    return move(row, due.atMillis(nowMicros));
  }

  private static DeadLetterOutcome redrive(
      @Nullable Content content, @Nullable Row row, long nowMicros) {
    if (row == null || row.place != State.DEAD) {
      return notDead(row);
    }
    row.waitUntil(DueTime.NOW.atMillis(nowMicros));
    row.content = content == null ? row.content : content;
    row.attempts = 0;
    row.history = new byte[0];
    return DeadLetterOutcome.DONE;
  }

  private DeadLetterOutcome deleteDead(String id, @Nullable Row row) {
    if (row == null || row.place != State.DEAD) {
      return notDead(row);
    }
    rows.remove(id);
    return DeadLetterOutcome.DONE;
  }

  private static DeadLetterOutcome notDead(@Nullable Row row) {
    return row == null || row.place == State.FINISHED
        ? DeadLetterOutcome.NOT_FOUND
        : DeadLetterOutcome.NOT_DEAD;
  }

  private SettleOutcome settle(Operation.Settlement asked, @Nullable Row row, long nowMicros) {
    if (row == null || row.place != State.LEASED || row.token != asked.token()) {
      return SettleOutcome.LEASE_LOST;
    }
    boolean keeps = !(asked instanceof Operation.Ack) && !(asked instanceof Operation.Extend);
    if (asked instanceof Operation.Ack ack && ack.rememberMillis() > 0) {
      row.finish(new DueTime(true, ack.rememberMillis()).atMillis(nowMicros));
    } else if (asked instanceof Operation.Ack || (keeps && row.cancelled)) {
      rows.remove(asked.id());
    } else if (asked instanceof Operation.Extend extend) {
      row.leasedUntil = new DueTime(true, extend.leaseMillis()).atMillis(nowMicros);
    } else if (asked instanceof Operation.Retry retry) {
      row.waitUntil(retry.due().atMillis(nowMicros));
      row.history = retry.history();
    } else if (asked instanceof Operation.Release release) {
      row.waitUntil(release.due() == null ? row.due : release.due().atMillis(nowMicros));
      row.attempts--;
    } else if (asked instanceof Operation.Repeat repeat) {
      Content content = repeat.content() == null ? row.content : repeat.content();
      rows.put(asked.id(), new Row(content, repeat.due().atMillis(nowMicros)));
    } else if (asked instanceof Operation.Bury bury) {
      row.place = State.DEAD;
      row.history = bury.history();
    }
    if (row.cancelled && asked instanceof Operation.Extend) {
      return SettleOutcome.CANCELLED;
    }
    return keeps && row.cancelled ? SettleOutcome.DISCARDED : SettleOutcome.DONE;
  }

  /**
   * Compares a reply with the messages that a claim may take now, and leases the same messages in
   * the model, or removes them if the claim delivers at most once.
   */
  void expectClaimed(Call.Claim asked, Reply.Claimed answer) {
    long nowMillis = answer.engineMicros() / 1000;
    List<Row> claimable = claimable(asked.limit(), nowMillis);
    assertThat(answer.messages()).hasSameSizeAs(claimable);
    for (int i = 0; i < claimable.size(); i++) {
      Reply.Leased message = answer.messages().get(i);
      Row row = rows.get(message.id());
      assertThat(row).as(message.id()).isNotNull();
      if (row != null) {
        assertThat(CLAIM_ORDER.compare(row, claimable.get(i))).as("order").isZero();
        expectSame(message, row);
      }
    }
    for (Reply.Leased message : answer.messages()) {
      lease(message.id(), asked, answer);
    }
    expectToken(answer);
    expectUntilNext(answer);
  }

  private List<Row> claimable(int limit, long nowMillis) {
    if (paused) {
      return List.of();
    }
    if (limit > 0) {
      rows.values().removeIf(row -> row.cancelled && row.leasedUntil <= nowMillis);
    }
    return rows.values().stream()
        .filter(row -> row.earliest() <= nowMillis)
        .sorted(CLAIM_ORDER)
        .limit(limit)
        .toList();
  }

  private static void expectSame(Reply.Leased message, Row row) {
    assertThat(message.content())
        .usingRecursiveComparison()
        .ignoringFields("createdMillis")
        .isEqualTo(row.content);
    assertThat(message.dueMillis()).isEqualTo(row.due);
    assertThat(message.attempt()).isEqualTo(row.attempts + 1);
    assertThat(message.history()).isEqualTo(row.history);
  }

  private void lease(String id, Call.Claim asked, Reply.Claimed answer) {
    if (asked.atMostOnce()) {
      rows.remove(id);
      return;
    }
    Row row = rows.get(id);
    if (row != null) {
      row.place = State.LEASED;
      row.attempts++;
      row.token = answer.token();
      row.leasedUntil = new DueTime(true, asked.leaseMillis()).atMillis(answer.engineMicros());
      row.cancelled = false;
    }
  }

  private void expectToken(Reply.Claimed answer) {
    if (!answer.messages().isEmpty()) {
      assertThat(answer.token()).isGreaterThan(lastToken);
      lastToken = answer.token();
    }
  }

  /**
   * Checks the time until the next message. The time must not be too long. It may be too short, for
   * example after a cancel, until the store has found the next message. If the model has no next
   * message, the reply must have none.
   */
  private void expectUntilNext(Reply.Claimed answer) {
    long exact = untilNext(answer.engineMicros());
    assertThat(answer.untilNextMicros()).isBetween(exact == Reply.NONE ? exact : 0, exact);
  }

  private long untilNext(long nowMicros) {
    long earliest = rows.values().stream().mapToLong(Row::earliest).min().orElse(Long.MAX_VALUE);
    return paused || earliest == Long.MAX_VALUE
        ? Reply.NONE
        : Math.max(0, earliest * 1000 - nowMicros);
  }
}
