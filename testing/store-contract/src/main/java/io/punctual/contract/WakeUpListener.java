package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.DueTime;
import io.punctual.spi.Registration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A listener that certainly receives the hints of its partition. A store may lose hints while it
 * sets up a registration. So the method {@link #to} schedules one message after another, each due
 * earlier than the previous message. It ends when the hint of the last scheduled message arrives. A
 * hint of an earlier message proves nothing: the hint may belong to an earlier registration of the
 * same client.
 */
final class WakeUpListener implements AutoCloseable {
  private static final int TRIES = 100;
  private static final long TRY_MILLIS = 100;
  private static final long SECONDS = 10;

  private final BlockingQueue<Long> hints = new LinkedBlockingQueue<>();
  private final Registration registration;

  private WakeUpListener(TestPartition partition) {
    registration = partition.partition().onWakeUp(hints::add);
  }

  static WakeUpListener to(TestPartition partition) {
    WakeUpListener listening = new WakeUpListener(partition);
    boolean listens = false;
    for (int tries = 0; !listens && tries < TRIES; tries++) {
      // The claim is needed: some stores send hints only to a client whose last claim found fewer
      // messages than it asked for. When the client begins to listen, they may send a hint of 0,
      // which does not count here.
      partition.session().claim(1, Duration.ofSeconds(1));
      DueTime due = partition.everSooner();
      long longestMicros = due.millis() * 1000 - partition.session().nowMicros();
      partition.session().schedule("listening-" + TestSession.newId(), due);
      listens = listening.hears(longestMicros);
    }
    assertThat(listens).as("a hint for a message far in the future").isTrue();
    listening.hints.clear();
    return listening;
  }

  /**
   * Waits for a hint that a message is due in the future, at most {@code longestMicros} from now.
   * Returns false if no hint arrives for {@link #TRY_MILLIS}.
   */
  private boolean hears(long longestMicros) {
    for (Long hint = poll(TRY_MILLIS); hint != null; hint = poll(TRY_MILLIS)) {
      if (hint > 0 && hint <= longestMicros) {
        return true;
      }
    }
    return false;
  }

  /** Waits up to 10 seconds for a hint that a message is due within this time from now. */
  void awaitHint(Duration within) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long micros = within.toNanos() / 1000;
    @Nullable Long hint = null;
    while (hint == null || hint > micros) {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      assertThat(leftMillis).as("no hint within %s", within).isPositive();
      hint = poll(leftMillis);
    }
    assertThat(hint).isNotNegative();
  }

  private @Nullable Long poll(long millis) {
    try {
      return hints.poll(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while waiting for a hint", e);
    }
  }

  /** Forgets the hints that arrived. */
  void clear() {
    hints.clear();
  }

  /** The hints that arrived and were not awaited. */
  List<Long> hints() {
    return List.copyOf(hints);
  }

  @Override
  public void close() {
    registration.close();
  }
}
