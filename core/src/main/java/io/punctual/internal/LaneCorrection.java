package io.punctual.internal;

import io.punctual.spi.Lane;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads a client that was wrong about the number of a queue's lanes to the right ones: asks the
 * store, moves what waits in the old lanes' sessions to the new ones in its order, and only then
 * lets the queue's users see them, so that operations on one id still take effect in the order they
 * were called. Tries once a second until the store answers. Thread-safe.
 */
final class LaneCorrection {
  private static final Logger log = LoggerFactory.getLogger(LaneCorrection.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Makes the client's side of lanes. */
  interface Lanes {
    List<LaneClient> of(List<Lane> lanes);
  }

  private final Store store;
  private final Environment env;
  private final QueueLanes lanes;
  private final Lanes clients;
  private final Runnable corrected;
  private @Nullable CompletableFuture<@Nullable Void> underWay;
  private boolean resting;
  private volatile boolean closed;

  /** Creates one; {@code corrected} is told when the queue has other lanes. */
  LaneCorrection(
      Store store, Environment env, QueueLanes lanes, Lanes clients, Runnable corrected) {
    this.store = store;
    this.env = env;
    this.lanes = lanes;
    this.clients = clients;
    this.corrected = corrected;
  }

  /** Begins, unless it is under way; completes when the queue has the lanes that the store says. */
  CompletableFuture<@Nullable Void> correct() {
    CompletableFuture<@Nullable Void> end;
    boolean waits;
    synchronized (this) {
      if (underWay != null) {
        return underWay;
      }
      end = new CompletableFuture<>();
      underWay = end;
      waits = resting;
    }
    if (waits) {
      env.timer().schedule(PAUSE, this::ask);
    } else {
      ask();
    }
    return end;
  }

  /** What is under way stays where it is; its session is closed by the client. */
  void close() {
    closed = true;
  }

  private void ask() {
    if (closed) {
      return;
    }
    // A queue that is gone has the lanes that this client believes in once it comes into being
    // again.
    int believed = lanes.all().size();
    CompletionStage<?> unused =
        LaneSession.stage(() -> store.lanes(lanes.queue(), believed))
            .whenComplete(
                (those, failure) -> {
                  if (those == null) {
                    env.timer().schedule(PAUSE, this::ask);
                  } else {
                    move(clients.of(those));
                  }
                });
  }

  private void move(List<LaneClient> those) {
    List<LaneClient> before = lanes.all();
    log.info(
        "Queue {} has {} lanes, not {}; going on with those",
        lanes.queue(),
        those.size(),
        before.size());
    Lane.LaneCountException why = new Lane.LaneCountException(those.size(), null);
    Function<String, LaneSession> there = id -> QueueLanes.of(those, id).session();
    CompletableFuture<?> unused =
        CompletableFuture.allOf(
                before.stream()
                    .map(lane -> lane.session().moveTo(there, why))
                    .toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> moved(those));
  }

  private void moved(List<LaneClient> those) {
    CompletableFuture<@Nullable Void> end;
    synchronized (this) {
      end = underWay;
      underWay = null;
      resting = true;
      lanes.become(those);
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
