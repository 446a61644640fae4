package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A session that numbers its calls, waits for each reply and unwraps it, so that each step of a
 * test is a single line. For one thread at a time.
 */
final class TestSession {
  /** A lease that does not expire within a test. */
  static final Duration LONG = Duration.ofHours(1);

  private final Partition partition;
  private final String id;
  private long last;

  TestSession(Partition partition, String id) {
    this.partition = partition;
    this.id = id;
  }

  static TestSession open(Partition partition) {
    TestSession session = new TestSession(partition, newId());
    StoreResults.await(partition.openSession(session.id, null));
    return session;
  }

  static String newId() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  String id() {
    return id;
  }

  /** The number of the last applied call. */
  long last() {
    return last;
  }

  void close() {
    StoreResults.await(partition.closeSession(id));
  }

  /** Makes the next call. A call that fails does not use up its number. */
  Reply send(Call.Body body) {
    Reply reply = send(last + 1, last + 1, body);
    last++;
    return reply;
  }

  /** Makes a call with any number, without changing the session's own count. */
  Reply send(long number, long lowestUnanswered, Call.Body body) {
    return StoreResults.await(partition.call(new Call(id, number, lowestUnanswered, body)));
  }

  /**
   * Makes a call that the client sends for the first time, without changing the session's own
   * count. The partition uses up the number only if it applies the call.
   */
  Reply sendFirst(long number, Call.Body body) {
    return StoreResults.await(partition.call(new Call(id, number, number, body, false)));
  }

  /** Counts a call of {@link #sendFirst} as applied, so that the next call gets the next number. */
  void carriedOut() {
    last++;
  }

  Reply sendLastAgain(Call.Body body) {
    return send(last, last, body);
  }

  Reply.Applied apply(List<? extends Operation> operations) {
    Reply reply = send(new Call.Apply(List.copyOf(operations), null));
    assertThat(reply).isInstanceOf(Reply.Applied.class);
    Reply.Applied applied = (Reply.Applied) reply;
    assertThat(applied.outcomes()).hasSameSizeAs(operations);
    return applied;
  }

  Reply.Applied apply(Operation... operations) {
    return apply(List.of(operations));
  }

  /** Returns the engine's time, in microseconds, from the reply to a call without operations. */
  long nowMicros() {
    return apply().engineMicros();
  }

  private <T extends Outcome> T one(Class<T> type, Operation operation) {
    Outcome outcome = apply(operation).outcomes().get(0);
    assertThat(outcome).isInstanceOf(type);
    return type.cast(outcome);
  }

  static Operation.Schedule scheduling(String id, DueTime due, IfPresent mode, String payload) {
    return new Operation.Schedule(id, due, mode, Content.of(payload.getBytes(UTF_8)));
  }

  /** Schedules a message whose payload is its id. */
  Outcome.OfSchedule schedule(String id, DueTime due) {
    return schedule(id, due, IfPresent.KEEP, id);
  }

  Outcome.OfSchedule schedule(String id, DueTime due, IfPresent mode, String payload) {
    return one(Outcome.OfSchedule.class, scheduling(id, due, mode, payload));
  }

  CancelOutcome cancel(String id) {
    return one(Outcome.OfCancel.class, new Operation.Cancel(id)).outcome();
  }

  RescheduleOutcome reschedule(String id, DueTime due) {
    return one(Outcome.OfReschedule.class, new Operation.Reschedule(id, due)).outcome();
  }

  RescheduleOutcome runNow(String id) {
    return one(Outcome.OfReschedule.class, new Operation.RunNow(id)).outcome();
  }

  /** Changes a message if it still waits with the first due time; a null removes it. */
  RescheduleOutcome changeWaiting(String id, DueTime listed, @Nullable DueTime due) {
    Operation change = new Operation.ChangeWaiting(id, listed.millis(), due);
    return one(Outcome.OfReschedule.class, change).outcome();
  }

  DeadLetterOutcome redrive(String id) {
    return redrive(id, null);
  }

  DeadLetterOutcome redrive(String id, @Nullable Content content) {
    return one(Outcome.OfDeadLetter.class, new Operation.Redrive(id, content)).outcome();
  }

  DeadLetterOutcome deleteDead(String id) {
    return one(Outcome.OfDeadLetter.class, new Operation.DeleteDead(id)).outcome();
  }

  SettleOutcome settle(Operation.Settlement settlement) {
    return one(Outcome.OfSettlement.class, settlement).outcome();
  }

  SettleOutcome ack(ClaimedMessage held) {
    return settle(new Operation.Ack(held.id(), held.token()));
  }

  /** Acks a message, and makes the store remember its id for this time. */
  SettleOutcome ack(ClaimedMessage held, Duration remember) {
    return settle(new Operation.Ack(held.id(), held.token(), remember.toMillis()));
  }

  SettleOutcome retry(ClaimedMessage held, DueTime due, String history) {
    return settle(new Operation.Retry(held.id(), held.token(), due, history.getBytes(UTF_8)));
  }

  SettleOutcome bury(ClaimedMessage held, String history) {
    return settle(new Operation.Bury(held.id(), held.token(), history.getBytes(UTF_8)));
  }

  SettleOutcome extend(ClaimedMessage held, Duration lease) {
    return settle(new Operation.Extend(held.id(), held.token(), lease.toMillis()));
  }

  SettleOutcome release(ClaimedMessage held) {
    return settle(new Operation.Release(held.id(), held.token(), null));
  }

  /** Releases a message with a new due time. */
  SettleOutcome defer(ClaimedMessage held, DueTime due) {
    return settle(new Operation.Release(held.id(), held.token(), due));
  }

  /** Repeats a message with its old content. */
  SettleOutcome repeat(ClaimedMessage held, DueTime due) {
    return repeat(held, due, null);
  }

  SettleOutcome repeat(ClaimedMessage held, DueTime due, @Nullable Content content) {
    return settle(new Operation.Repeat(held.id(), held.token(), due, content));
  }

  Reply.Claimed claim(int limit, Duration lease) {
    return claim(new Call.Claim(limit, lease.toMillis()));
  }

  Reply.Claimed claim(Call.Claim asked) {
    Reply reply = send(asked);
    assertThat(reply).isInstanceOf(Reply.Claimed.class);
    Reply.Claimed claimed = (Reply.Claimed) reply;
    assertThat(claimed.unreadable()).isEmpty();
    assertThat(claimed.messages()).hasSizeLessThanOrEqualTo(asked.limit());
    return claimed;
  }

  List<ClaimedMessage> hold(int limit, Duration lease) {
    Reply.Claimed claimed = claim(limit, lease);
    return claimed.messages().stream()
        .map(message -> ClaimedMessage.of(message, claimed, lease.toMillis()))
        .toList();
  }

  /** Claims with {@code lease}, and expects exactly one claimable message. */
  ClaimedMessage claimOne(Duration lease) {
    List<ClaimedMessage> held = hold(Partition.MAX_PAGE, lease);
    assertThat(held).hasSize(1);
    return held.get(0);
  }

  /** Claims with a long lease, and expects exactly one claimable message. */
  ClaimedMessage claimOne() {
    return claimOne(LONG);
  }

  /** Claims all claimable messages, and returns their ids in order. */
  List<String> claimIds() {
    return hold(Partition.MAX_PAGE, LONG).stream().map(ClaimedMessage::id).toList();
  }
}
