package io.punctual.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.SafetyInterval;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.timer.Timeout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * While workers or manual claims wait for messages, asks the store at an interval for the next due
 * times of their partitions, with one request for all of them. So a lost hint or a jump of a clock
 * delays a message by about one interval at most, while the store answers. Thread-safe.
 */
public final class SafetyCheck {
  private static final Logger log = Logs.of(SafetyCheck.class);

  private final Store store;
  private final Environment env;
  private final SafetyInterval interval;

  @GuardedBy("this") private final Set<PartitionClient> partitions = new LinkedHashSet<>();

  @GuardedBy("this") private @Nullable Timeout next;

  @GuardedBy("this") private boolean failing;

  /** Whether no check is planned, because an error struck when the last one was to be planned. */
  private volatile boolean isStranded;

  private final Runnable ask = this::ask;

  @GuardedBy("this") private boolean asking;

  @GuardedBy("this") private boolean closed;

  public SafetyCheck(Store store, Environment env) {
    this.store = store;
    this.env = env;
    this.interval = new SafetyInterval(store);
  }

  synchronized void add(PartitionClient partition) {
    partitions.add(partition);
    schedule();
  }

  synchronized void remove(PartitionClient partition) {
    partitions.remove(partition);
    if (partitions.isEmpty()) {
      stop();
    }
  }

  /** Plans the next check if an error has prevented this. Never throws. */
  void ensure() {
    if (isStranded) {
      try {
        synchronized (this) {
          schedule();
        }
      } catch (Throwable e) {
        log.debug("The next answer to a claim plans the safety check", e);
      }
    }
  }

  public synchronized void close() {
    closed = true;
    stop();
  }

  @GuardedBy("this") private void stop() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  @GuardedBy("this") private void schedule() {
    if (!closed && !asking && next == null && !partitions.isEmpty()) {
      isStranded = true;
      next = env.timer().schedule(interval.nanos(partitions.size()), ask);
      isStranded = false;
    }
  }

  private void ask() {
    List<PartitionClient> those;
    synchronized (this) {
      next = null;
      if (closed || partitions.isEmpty()) {
        return;
      }
      those = new ArrayList<>(partitions);
      asking = true;
    }
    try {
      List<Partition> asked = those.stream().map(PartitionClient::partition).toList();
      CompletableFuture<long[]> answer = new CompletableFuture<>();
      // A store that never answers must end neither the checks nor the log about them.
      Timeout over =
          env.orNow(env.operationTimeout(), () -> answer.completeExceptionally(silence()));
      CompletionStage<?> unused =
          answer.whenComplete(
              (untils, failure) -> {
                over.cancel();
                answered(those, untils, failure);
              });
      CompletionStage<?> ignored =
          StoreCall.stage(() -> store.untilNext(asked))
              .whenComplete(
                  (untils, failure) -> {
                    if (failure == null) {
                      answer.complete(untils);
                    } else {
                      answer.completeExceptionally(failure);
                    }
                  });
    } catch (Throwable e) {
      answered(those, null, e);
    }
  }

  private StoreUnavailableException silence() {
    return new StoreUnavailableException(
        "no answer within " + env.operationTimeout().toMillis() + " ms", null);
  }

  private void answered(
      List<PartitionClient> those, long @Nullable [] untils, @Nullable Throwable failure) {
    synchronized (this) {
      asking = false;
      schedule();
    }
    report(failure);
    if (untils == null) {
      return;
    }
    for (int i = 0; i < untils.length; i++) {
      wake(those.get(i), untils[i]);
    }
  }

  private static void wake(PartitionClient partition, long until) {
    try {
      partition.wake(until);
    } catch (Throwable e) {
      log.warn("A partition can't be woken; the next safety check tries again", e);
    }
  }

  /**
   * Logs the first failure of a series, and the first success after it. The sessions report outages
   * too, but the check can fail while the sessions work, or while no session makes calls.
   */
  private void report(@Nullable Throwable failure) {
    boolean changed;
    synchronized (this) {
      changed = failing != (failure != null) && !closed;
      failing = failure != null;
    }
    if (changed && failure != null) {
      log.warn(
          "The safety check of {} fails. Until it works again, a message can be late if its hint is"
              + " lost: {}",
          store.describe(),
          StoreFailures.unwrap(failure).getMessage());
    } else if (changed) {
      log.info("The safety check of {} works again", store.describe());
    }
  }
}
