package io.punctual.internal;

import io.punctual.spi.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a partition carried out and whose durability is not confirmed yet, oldest first.
 * Guarded by their session's lock.
 */
final class UnconfirmedCalls {
  /** A call's operations that wait for the confirmation, with their outcomes. */
  static final class Unconfirmed {
    private final List<InFlightCall.PendingOperation> passengers;
    private final List<Outcome> outcomes;
    private final long firstSentNanos;

    Unconfirmed(
        List<InFlightCall.PendingOperation> passengers,
        List<Outcome> outcomes,
        long firstSentNanos) {
      this.passengers = passengers;
      this.outcomes = outcomes;
      this.firstSentNanos = firstSentNanos;
    }

    /**
     * Returns the callbacks of the operations, which hear how the wait ended.
     *
     * @param why null if the call is confirmed
     */
    List<Runnable> callbacks(String queue, @Nullable String why) {
      List<Runnable> callbacks = new ArrayList<>();
      for (int i = 0; i < passengers.size(); i++) {
        InFlightCall.PendingOperation passenger = passengers.get(i);
        Outcome outcome = outcomes.get(i);
        callbacks.add(
            why == null
                ? () -> passenger.ticket().completed(outcome, firstSentNanos)
                : () ->
                    passenger.ticket().failed(InFlightCall.notConfirmed(passenger, queue, why)));
      }
      return callbacks;
    }

    private long deadlineNanos() {
      return passengers.get(passengers.size() - 1).deadlineNanos();
    }
  }

  private final Set<Unconfirmed> calls = new LinkedHashSet<>();
  private int operations;

  boolean isEmpty() {
    return calls.isEmpty();
  }

  /** Returns how many operations wait. */
  int operations() {
    return operations;
  }

  void add(Unconfirmed call) {
    calls.add(call);
    operations += call.passengers.size();
  }

  /** Removes a call; returns whether it still waited. */
  boolean remove(Unconfirmed call) {
    boolean waited = calls.remove(call);
    if (waited) {
      operations -= call.passengers.size();
    }
    return waited;
  }

  /** Removes and returns the calls whose time is over. */
  List<Unconfirmed> removeExpired(long nowNanos) {
    List<Unconfirmed> expired =
        calls.stream().filter(call -> call.deadlineNanos() - nowNanos <= 0).toList();
    expired.forEach(this::remove);
    return expired;
  }

  /** Removes and returns all calls. */
  List<Unconfirmed> removeAll() {
    List<Unconfirmed> all = new ArrayList<>(calls);
    calls.clear();
    operations = 0;
    return all;
  }

  /** Returns when the time of the oldest call is over, or {@code latest}. */
  long firstDeadline(long latest) {
    if (calls.isEmpty()) {
      return latest;
    }
    long oldest = calls.iterator().next().deadlineNanos();
    return oldest - latest < 0 ? oldest : latest;
  }
}
