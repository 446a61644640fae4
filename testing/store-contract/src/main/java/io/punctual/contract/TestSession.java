package io.punctual.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.SettleOutcome;
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

/**
 * A session that numbers its calls, waits for each answer, and unwraps it, so that a test can say
 * what it does in a line. For one thread at a time.
 */
final class TestSession {
  /** A lease that does not run out within a test. */
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
    Stages.await(partition.openSession(session.id, null));
    return session;
  }

  static String newId() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  String id() {
    return id;
  }

  /** The number of the last call that was carried out. */
  long last() {
    return last;
  }

  void close() {
    Stages.await(partition.closeSession(id));
  }

  /** Makes the next call; a call that is refused does not use its number up. */
  Reply send(Call.Body body) {
    Reply reply = send(last + 1, last + 1, body);
    last++;
    return reply;
  }

  /** Makes a call with any number, and leaves the session's own count alone. */
  Reply send(long number, long lowestUnanswered, Call.Body body) {
    return Stages.await(partition.call(new Call(id, number, lowestUnanswered, body)));
  }

  /**
   * Makes a call for the first time, which uses up its number when the partition carries it out.
   */
  Reply sendFirst(long number, Call.Body body) {
    return Stages.await(partition.call(new Call(id, number, number, body, false)));
  }

  /** Counts a call that {@link #sendFirst} made as carried out. */
  void carriedOut() {
    last++;
  }

  /** Makes the last call again. */
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

  /** The engine's clock, read by a call that does nothing. */
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

  DeadLetterOutcome redrive(String id) {
    return one(Outcome.OfDeadLetter.class, new Operation.Redrive(id)).outcome();
  }

  DeadLetterOutcome deleteDead(String id) {
    return one(Outcome.OfDeadLetter.class, new Operation.DeleteDead(id)).outcome();
  }

  SettleOutcome settle(Operation.Settlement settlement) {
    return one(Outcome.OfSettlement.class, settlement).outcome();
  }

  SettleOutcome ack(Held held) {
    return settle(new Operation.Ack(held.id(), held.token()));
  }

  SettleOutcome retry(Held held, DueTime due, String history) {
    return settle(new Operation.Retry(held.id(), held.token(), due, history.getBytes(UTF_8)));
  }

  SettleOutcome bury(Held held, String history) {
    return settle(new Operation.Bury(held.id(), held.token(), history.getBytes(UTF_8)));
  }

  SettleOutcome extend(Held held, Duration lease) {
    return settle(new Operation.Extend(held.id(), held.token(), lease.toMillis()));
  }

  SettleOutcome release(Held held) {
    return settle(new Operation.Release(held.id(), held.token()));
  }

  Reply.Claimed claim(int limit, Duration lease) {
    Reply reply = send(new Call.Claim(limit, lease.toMillis()));
    assertThat(reply).isInstanceOf(Reply.Claimed.class);
    Reply.Claimed claimed = (Reply.Claimed) reply;
    assertThat(claimed.unreadable()).isEmpty();
    assertThat(claimed.messages()).hasSizeLessThanOrEqualTo(limit);
    return claimed;
  }

  List<Held> hold(int limit, Duration lease) {
    Reply.Claimed claimed = claim(limit, lease);
    return claimed.messages().stream()
        .map(message -> Held.of(message, claimed, lease.toMillis()))
        .toList();
  }

  /** Claims, and expects that exactly one message can be claimed. */
  Held holdOne(Duration lease) {
    List<Held> held = hold(Partition.MAX_PAGE, lease);
    assertThat(held).hasSize(1);
    return held.get(0);
  }

  /** Claims for long, and expects that exactly one message can be claimed. */
  Held holdOne() {
    return holdOne(LONG);
  }

  /** Claims as much as it can, and returns the ids in their order. */
  List<String> claimIds() {
    return hold(Partition.MAX_PAGE, LONG).stream().map(Held::id).toList();
  }
}
