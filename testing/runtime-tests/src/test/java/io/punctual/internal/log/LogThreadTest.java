package io.punctual.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

/** A log that blocks, throws or calls back: the threads that log go on. */
@Timeout(60)
class LogThreadTest {
  private static final long LONG = TimeUnit.HOURS.toNanos(1);

  private final List<String> written = new CopyOnWriteArrayList<>();

  /** An appender that runs this step before it keeps a line. */
  private final class Target extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;
    private final transient Runnable step;

    Target(Runnable step) {
      this.step = step;
    }

    @Override
    public boolean isTraceEnabled() {
      return true;
    }

    @Override
    public boolean isDebugEnabled() {
      return true;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String text,
        Object @Nullable [] arguments,
        @Nullable Throwable failure) {
      step.run();
      written.add(text);
    }
  }

  private static LogLine line(Target target, String text) {
    return new LogLine(target, Level.WARN, text, null);
  }

  @Test
  void appenderBlocks_threadsThatLogGoOnAndTheFirstLinesFollowLater() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Target target = new Target(() -> awaitQuietly(release));
    LogThread log = new LogThread(1);
    int many = 3_000;
    for (int i = 0; i < many; i++) {
      log.write(line(target, "line " + i));
    }
    assertThat(written).isEmpty();
    release.countDown();
    await().until(() -> written.size() >= 1_000);
    assertThat(written).startsWith("line 0", "line 1").doesNotContain("line " + (many - 1));
    await().until(() -> log.missing() == 0);
    log.write(line(target, "the next line"));
    await().until(() -> written.contains("the next line"));
  }

  @Test
  void appenderIsInTime_lineIsWrittenBeforeTheCallReturns() {
    LogThread log = new LogThread(LONG);
    Target target = new Target(() -> {});
    for (int i = 0; i < 100; i++) {
      log.write(line(target, "line " + i));
      assertThat(written).hasSize(i + 1).last().isEqualTo("line " + i);
    }
  }

  @Test
  void appenderThrows_laterLinesFollow() {
    LogThread log = new LogThread(LONG);
    AtomicInteger lines = new AtomicInteger();
    Target target =
        new Target(
            () -> {
              switch (lines.getAndIncrement()) {
                case 0 -> throw new IllegalStateException("appender");
                case 1 -> throw new NoClassDefFoundError("appender");
                case 2 -> throw new StackOverflowError();
                case 3 -> Thread.currentThread().interrupt();
                default -> {}
              }
            });
    for (int i = 0; i < 6; i++) {
      log.write(line(target, "line " + i));
    }
    assertThat(written).containsExactly("line 3", "line 4", "line 5");
  }

  @Test
  void appenderLogsItself_bothLinesAreWritten() {
    LogThread log = new LogThread(LONG);
    Target inner = new Target(() -> {});
    Target outer = new Target(() -> log.write(line(inner, "inner")));
    log.write(line(outer, "outer"));
    assertThat(written).containsExactly("inner", "outer");
  }

  @Test
  void threadThatLogsIsInterrupted_doesNotWaitAndKeepsItsInterrupt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    LogThread log = new LogThread(LONG);
    Target target = new Target(() -> awaitQuietly(release));
    Thread author =
        new Thread(
            () -> {
              log.write(line(target, "line"));
              written.add("interrupted " + Thread.currentThread().isInterrupted());
            });
    author.start();
    author.interrupt();
    author.join();
    assertThat(written).containsExactly("interrupted true");
    release.countDown();
    await().until(() -> written.contains("line"));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
