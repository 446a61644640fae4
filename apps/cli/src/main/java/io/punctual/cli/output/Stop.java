package io.punctual.cli.output;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes a signal to the running command. The shutdown waits for a command that has asked for the
 * signal, so that the command can release its messages; any other command ends at once.
 * Thread-safe.
 */
public final class Stop {
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean watched;

  /**
   * Asks the command to end when the JVM shuts down, as after SIGINT and SIGTERM, and delays the
   * shutdown until a command that reacts has ended.
   */
  public void askAtShutdown() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::askAndWait, "punctual-shutdown"));
  }

  private void askAndWait() {
    ask();
    if (!watched) {
      return;
    }
    try {
      boolean unused = ended.await(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public void ask() {
    asked.complete(null);
  }

  /** Returns whether the command is asked to end; the shutdown waits for the caller's command. */
  public boolean isAsked() {
    watched = true;
    return asked.isDone();
  }

  /** Completes when the command is asked to end; the shutdown waits for the caller's command. */
  public CompletableFuture<@Nullable Void> asked() {
    watched = true;
    return asked.copy();
  }

  /** The command has ended. */
  public void ended() {
    ended.countDown();
  }
}
