package io.punctual.cli.output;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes a signal to the running command: asks the command to end, and waits until it has released
 * its messages. Thread-safe.
 */
public final class Stop {
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Asks the command to end when the JVM shuts down, as after SIGINT and SIGTERM, and delays the
   * shutdown.
   */
  public void askAtShutdown() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::askAndWait, "punctual-shutdown"));
  }

  private void askAndWait() {
    ask();
    try {
      boolean unused = ended.await(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void ask() {
    asked.complete(null);
  }

  public boolean isAsked() {
    return asked.isDone();
  }

  /** Completes when the command is asked to end. */
  public CompletableFuture<@Nullable Void> asked() {
    return asked.copy();
  }

  /** The command has ended. */
  public void ended() {
    ended.countDown();
  }
}
