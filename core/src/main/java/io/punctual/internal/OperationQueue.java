package io.punctual.internal;

import io.punctual.Durability;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operations that no call carries yet, in the order they were asked for. Not thread-safe. */
final class OperationQueue {
  private static final int CALL_BYTES = 1 << 20;

  private record Waiting(
      InFlightCall.PendingOperation passenger, @Nullable Durability durability) {}

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Backlog backlog;
  private boolean urgent;

  OperationQueue(Backlog backlog) {
    this.backlog = backlog;
  }

  int size() {
    return waiting.size();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Adds one that somebody waits for. */
  void add(InFlightCall.PendingOperation passenger, @Nullable Durability durability) {
    urgent = true;
    addPatient(passenger, durability);
  }

  /** Adds one that may wait for others to share its call. */
  void addPatient(InFlightCall.PendingOperation passenger, @Nullable Durability durability) {
    backlog.add(passenger.operation());
    waiting.add(new Waiting(passenger, durability));
  }

  /** Whether somebody waits for one of them. */
  boolean isUrgent() {
    return urgent && !waiting.isEmpty();
  }

  /** Whoever waits has waited long enough. */
  void hurry() {
    urgent = !waiting.isEmpty();
  }

  /** Takes as many from the front as fit in one call, up to a limit; there must be one. */
  InFlightCall takeFlight(int limit) {
    List<Operation> operations = new ArrayList<>();
    List<InFlightCall.PendingOperation> passengers = new ArrayList<>();
    Durability durability = waiting.element().durability();
    for (int bytes = 0; operations.size() < limit && fits(operations.size(), bytes, durability); ) {
      InFlightCall.PendingOperation next = remove().passenger();
      operations.add(next.operation());
      passengers.add(next);
      bytes += bytes(next.operation());
    }
    hurry();
    return InFlightCall.of(new Call.Apply(operations, durability), passengers);
  }

  private Waiting remove() {
    Waiting next = waiting.remove();
    backlog.remove(next.passenger().operation());
    return next;
  }

  private boolean fits(int count, int bytes, @Nullable Durability durability) {
    Waiting next = waiting.peek();
    return next != null
        && (count == 0 || bytes + bytes(next.passenger().operation()) <= CALL_BYTES)
        && Objects.equals(durability, next.durability());
  }

  private static int bytes(Operation operation) {
    if (operation instanceof Operation.Schedule schedule) {
      return schedule.content().approximateBytes();
    }
    return 64;
  }

  /** Takes out those that nobody wants any more. */
  void dropWithdrawn(Consumer<InFlightCall.PendingOperation> dropped) {
    waiting.removeIf(
        each -> {
          boolean unwanted = each.passenger().ticket().isWithdrawn();
          if (unwanted) {
            backlog.remove(each.passenger().operation());
            dropped.accept(each.passenger());
          }
          return unwanted;
        });
  }

  /** Takes out those whose time is over. */
  void expire(long nowNanos, Consumer<InFlightCall.PendingOperation> expired) {
    for (Waiting head = waiting.peek(); head != null; head = waiting.peek()) {
      if (head.passenger().deadlineNanos() - nowNanos > 0) {
        return;
      }
      expired.accept(remove().passenger());
    }
  }

  /** Takes all out, each with the durability that was asked for. */
  void drain(BiConsumer<InFlightCall.PendingOperation, @Nullable Durability> all) {
    while (!waiting.isEmpty()) {
      Waiting next = remove();
      all.accept(next.passenger(), next.durability());
    }
  }

  void drain(Consumer<InFlightCall.PendingOperation> all) {
    drain((passenger, durability) -> all.accept(passenger));
  }

  /** Returns when the first one's time is over, or {@code latest}. */
  long firstDeadline(long latest) {
    Waiting head = waiting.peek();
    return head == null || head.passenger().deadlineNanos() - latest > 0
        ? latest
        : head.passenger().deadlineNanos();
  }
}
