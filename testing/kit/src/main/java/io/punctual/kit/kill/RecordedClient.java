package io.punctual.kit.kill;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.kit.history.Recording;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** A client that records its history. */
public record RecordedClient(
    WheelTimer timer, Recording recording, Punctual punctual, TimedQueue<String> queue)
    implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(20);

  static RecordedClient open(String url, Path history, String name) {
    Recording recording = Recording.to(history, name);
    WheelTimer timer = WheelTimer.create();
    Punctual punctual =
        Punctual.builder()
            .store(recording.store(whenAvailable(() -> Stores.open(StoreUrl.parse(url), timer))))
            .observer(recording.observer())
            .build();
    TimedQueue<String> queue = whenAvailable(() -> punctual.queue(KillRun.QUEUE, Codec.string()));
    return new RecordedClient(timer, recording, punctual, recording.queue(queue));
  }

  /** Tries again while the store is unavailable, because a run may have killed its server. */
  private static <T> T whenAvailable(Supplier<T> call) {
    long deadline = System.nanoTime() + KillPlan.PATIENCE.toNanos();
    while (true) {
      try {
        return call.get();
      } catch (StoreUnavailableException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  @Override
  public void close() {
    punctual.close(GRACE);
    recording.close();
    timer.close();
  }
}
