package io.punctual.cli.output;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way from a signal to a command: it asks for the end, and waits until the command has given
 * back what it held. Thread-safe.
 */
public final class Stop {
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Asks at the end of the JVM, which SIGINT and SIGTERM bring about, and makes it wait. */
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

  /** Completes when the end is asked for. */
  public CompletableFuture<@Nullable Void> asked() {
    return asked.copy();
  }

  /** The command has ended. */
  public void ended() {
    ended.countDown();
  }
}
