package io.punctual.cli.output;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes SIGINT or SIGTERM to the running command. A command that asks for the signal can still
 * release its messages: the shutdown waits until the command has ended, at most 30 seconds. Any
 * other command ends at once. Thread-safe.
 */
public final class Stop {
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean watched;

  /**
   * Asks the command to end when the JVM shuts down, for example after SIGINT or SIGTERM. Delays
   * the shutdown by up to 30 seconds, until a command that asks for the signal has ended.
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

  /**
   * Returns whether the command is asked to end. From this call on, the shutdown waits for the
   * command.
   */
  public boolean isAsked() {
    watched = true;
    return asked.isDone();
  }

  /**
   * Returns a stage that completes when the command is asked to end. From this call on, the
   * shutdown waits for the command.
   */
  public CompletableFuture<@Nullable Void> asked() {
    watched = true;
    return asked.copy();
  }

  /** Records that the command has ended, so that the shutdown continues. */
  public void ended() {
    ended.countDown();
  }
}
