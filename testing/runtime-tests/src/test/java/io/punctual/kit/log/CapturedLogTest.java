package io.punctual.kit.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.internal.log.Logs;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;

/** Tests lines that the thread of the log writes after the call that logged them. */
@Timeout(300)
class CapturedLogTest {
  private static final Logger LOGGER = Logs.of("io.punctual.test");

  /** A failure that holds up the thread that prints it. */
  private static final class Slow extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient CountDownLatch release;

    Slow(CountDownLatch release) {
      this.release = release;
    }

    @Override
    public void printStackTrace(PrintStream out) {
      try {
        release.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void lineThatIsWrittenLate_isAwaited() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (CapturedLog log = new CapturedLog()) {
      LOGGER.warn("slow", new Slow(release));
      LOGGER.warn("late");
      FutureTask<List<String>> lines = new FutureTask<>(() -> log.linesWith("late"));
      Thread reader = new Thread(lines);
      reader.start();
      Set<Thread.State> idle =
          Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
      await().until(() -> idle.contains(reader.getState()));
      release.countDown();
      assertThat(lines.get(60, TimeUnit.SECONDS)).singleElement().asString().endsWith("late");
    } finally {
      release.countDown();
    }
  }

  @Test
  void lineOfBefore_isLeftOut() {
    LOGGER.warn("before");
    try (CapturedLog log = new CapturedLog()) {
      LOGGER.warn("after");
      assertThat(log.lines()).singleElement().asString().endsWith("after");
    }
  }
}
