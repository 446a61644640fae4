package io.punctual.kit.history;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.kit.history.HistoryEvent.CancelAnswered;
import io.punctual.kit.history.HistoryEvent.CancelInvoked;
import io.punctual.kit.history.HistoryEvent.ClaimAnswered;
import io.punctual.kit.history.HistoryEvent.ClaimInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.DeadLetterAnswered;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.HandedOver;
import io.punctual.kit.history.HistoryEvent.HandlerReturned;
import io.punctual.kit.history.HistoryEvent.InventoryBegan;
import io.punctual.kit.history.HistoryEvent.InventoryEnded;
import io.punctual.kit.history.HistoryEvent.RedriveInvoked;
import io.punctual.kit.history.HistoryEvent.RescheduleAnswered;
import io.punctual.kit.history.HistoryEvent.RescheduleInvoked;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import io.punctual.kit.history.HistoryEvent.SentAgain;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A process of a {@link Script}. Leases are 1000 milliseconds. */
final class ScriptedProcess {
  static final long LEASE_MILLIS = 1000;

  private final Script script;
  private final List<HistoryEvent> events;
  private long lastOp;

  ScriptedProcess(Script script, List<HistoryEvent> events) {
    this.script = script;
    this.events = events;
  }

  private long add(HistoryEvent event) {
    events.add(event);
    return lastOp;
  }

  private long at() {
    return script.tick();
  }

  long invokeSchedule(@Nullable String id, IfPresent mode, long due) {
    return add(new ScheduleInvoked(at(), ++lastOp, 1, Script.QUEUE, id, mode, false, due));
  }

  void answer(long op, String id, ScheduleOutcome outcome, long due, @Nullable State previous) {
    add(new ScheduleAnswered(at(), op, id, outcome, due, previous));
  }

  void schedule(String id, long due) {
    answer(invokeSchedule(id, IfPresent.KEEP, due), id, ScheduleOutcome.STORED, due, null);
  }

  void replace(String id, long due, State previous) {
    answer(invokeSchedule(id, IfPresent.REPLACE, due), id, ScheduleOutcome.REPLACED, due, previous);
  }

  long invokeCancel(String id) {
    return add(new CancelInvoked(at(), ++lastOp, 1, Script.QUEUE, id));
  }

  void cancel(String id, CancelOutcome outcome) {
    answer(invokeCancel(id), outcome);
  }

  void answer(long op, CancelOutcome outcome) {
    add(new CancelAnswered(at(), op, outcome));
  }

  void reschedule(String id, long due, RescheduleOutcome outcome) {
    long op = add(new RescheduleInvoked(at(), ++lastOp, 1, Script.QUEUE, id, false, due));
    add(new RescheduleAnswered(at(), op, outcome));
  }

  void redrive(String id, DeadLetterOutcome outcome) {
    long op = add(new RedriveInvoked(at(), ++lastOp, 1, Script.QUEUE, id));
    add(new DeadLetterAnswered(at(), op, outcome));
  }

  long invokeClaim() {
    return invokeClaim(false);
  }

  long invokeClaim(boolean atMostOnce) {
    return add(new ClaimInvoked(at(), ++lastOp, Script.QUEUE, 10, LEASE_MILLIS, atMostOnce));
  }

  void claimed(long op, String id, long token, int attempt, long due) {
    claimed(op, id, token, attempt, due, false);
  }

  private void claimed(long op, String id, long token, int attempt, long due, boolean cancelled) {
    long engine = script.engineMicros();
    long until = (engine + 999) / 1000 + LEASE_MILLIS;
    add(new Claimed(at(), op, Script.QUEUE, id, token, attempt, due, engine, until, cancelled));
    add(new ClaimAnswered(at(), op, engine));
  }

  void claimedNothing(long op) {
    add(new ClaimAnswered(at(), op, script.engineMicros()));
  }

  void claim(String id, long token, int attempt, long due) {
    claimed(invokeClaim(), id, token, attempt, due);
  }

  void claimAtMostOnce(String id, long token, int attempt, long due) {
    claimed(invokeClaim(true), id, token, attempt, due, true);
  }

  void handOver(String id, long token, boolean lost) {
    add(new HandedOver(at(), Script.QUEUE, id, token, 1, 0, 0, lost));
  }

  void returned(String id, long token, boolean failed, boolean lost) {
    add(new HandlerReturned(at(), Script.QUEUE, id, token, failed, false, lost));
  }

  /** Claims a message, passes it to a handler, and returns from the handler without a failure. */
  void handle(String id, long token, int attempt, long due) {
    claim(id, token, attempt, due);
    handOver(id, token, false);
    returned(id, token, false, false);
  }

  long invoke(SettlementKind kind, String id, long token, long millis) {
    return add(new SettlementInvoked(at(), ++lastOp, Script.QUEUE, id, token, kind, true, millis));
  }

  void answer(long op, SettleOutcome outcome) {
    add(new SettlementAnswered(at(), op, outcome, script.engineMicros()));
  }

  void settle(SettlementKind kind, String id, long token, long millis, SettleOutcome outcome) {
    answer(invoke(kind, id, token, millis), outcome);
  }

  void ack(String id, long token, SettleOutcome outcome) {
    settle(SettlementKind.ACK, id, token, 0, outcome);
  }

  void failed(long op, Doubt doubt) {
    add(new Failed(at(), op, doubt, null, "the line is cut"));
  }

  void sentAgain(long op) {
    add(new SentAgain(at(), op));
  }

  void beginInventory() {
    add(new InventoryBegan(at(), Script.QUEUE));
  }

  void found(String id, State state, long due, int attempts) {
    add(new Found(at(), Script.QUEUE, id, state, due, attempts));
  }

  void endInventory() {
    add(new InventoryEnded(at(), Script.QUEUE));
  }

  void inventoryOfNothing() {
    beginInventory();
    endInventory();
  }
}
