package io.punctual.internal.partition;

import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a queue's partitions when the client's number of partitions is stale. It asks the store,
 * once a second until the store answers, and hands the operations of the old sessions to the new
 * sessions in their order. Only then do callers see the new partitions, so operations on one id
 * take effect in the order of their submission. Thread-safe.
 */
public final class PartitionCorrection {
  private static final Logger log = LoggerFactory.getLogger(PartitionCorrection.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Creates the client's side of partitions. */
  public interface Partitions {
    List<PartitionClient> of(List<Partition> partitions);
  }

  private final Environment env;
  private final QueuePartitions partitions;
  private final Partitions clients;
  private final Runnable corrected;
  private @Nullable CompletableFuture<@Nullable Void> inFlight;
  private boolean resting;
  private volatile boolean closed;

  /** Creates a correction; {@code corrected} runs when the queue has new partitions. */
  public PartitionCorrection(
      Environment env, QueuePartitions partitions, Partitions clients, Runnable corrected) {
    this.env = env;
    this.partitions = partitions;
    this.clients = clients;
    this.corrected = corrected;
  }

  /**
   * Starts a correction unless one is in progress; completes when the queue has the store's
   * partitions.
   *
   * @param question asks the store for the partitions
   */
  public CompletableFuture<@Nullable Void> correct(StoreCall<List<Partition>> question) {
    CompletableFuture<@Nullable Void> end;
    boolean waits;
    synchronized (this) {
      if (inFlight != null) {
        return inFlight;
      }
      end = new CompletableFuture<>();
      inFlight = end;
      waits = resting;
    }
    if (waits) {
      env.timer().schedule(PAUSE, () -> ask(question));
    } else {
      ask(question);
    }
    return end;
  }

  /**
   * Ends a correction in progress. Operations stay in the old sessions, which the client closes.
   */
  public void close() {
    closed = true;
  }

  private void ask(StoreCall<List<Partition>> question) {
    if (closed) {
      return;
    }
    CompletionStage<?> unused =
        StoreCall.stage(question)
            .whenComplete(
                (those, failure) -> {
                  if (those == null) {
                    env.timer().schedule(PAUSE, () -> ask(question));
                  } else {
                    move(clients.of(those));
                  }
                });
  }

  private void move(List<PartitionClient> those) {
    List<PartitionClient> before = partitions.all();
    if (those.size() != before.size()) {
      log.info(
          "Queue '{}' has {} partitions, not {}; the client continues with the store's number",
          partitions.queue(),
          those.size(),
          before.size());
    }
    Partition.PartitionCountException why =
        new Partition.PartitionCountException(those.size(), null);
    Function<String, PartitionSession> there = id -> QueuePartitions.of(those, id).session();
    CompletableFuture<?> unused =
        CompletableFuture.allOf(
                before.stream()
                    .map(partition -> partition.session().moveTo(there, why))
                    .toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> moved(those));
  }

  private void moved(List<PartitionClient> those) {
    CompletableFuture<@Nullable Void> end;
    synchronized (this) {
      end = inFlight;
      inFlight = null;
      resting = true;
      partitions.become(those);
    }
    env.timer().schedule(PAUSE, this::rested);
    corrected.run();
    if (end != null) {
      end.complete(null);
    }
  }

  private synchronized void rested() {
    resting = false;
  }
}
