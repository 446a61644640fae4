package io.punctual.internal.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.runtime.Backoff;
import io.punctual.internal.runtime.ClientThread;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store on a separate thread, and tries again until the store is open. A failure that a
 * later attempt cannot fix, such as an unknown option, ends the opening. Thread-safe.
 */
final class StoreOpening implements Runnable {
  private final String description;
  private final Supplier<Store> open;
  private final CompletableFuture<Store> opened = new CompletableFuture<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = ClientThread.create("punctual-open", this);
  private volatile @Nullable PunctualException lastFailure;

  @GuardedBy("this") private Consumer<PunctualException> onFailure = failure -> {};

  StoreOpening(String description, Supplier<Store> open) {
    this.description = description;
    this.open = open;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Returns the store's URL without secrets. */
  String description() {
    return description;
  }

  /** Completes when the store is open; fails if the opening has ended without a store. */
  CompletableFuture<Store> opened() {
    return opened;
  }

  @Nullable PunctualException lastFailure() {
    return lastFailure;
  }

  /**
   * Sets the receiver of failures. Passes it the last failure, if an attempt has failed and the
   * opening continues.
   */
  void onFailure(Consumer<PunctualException> receiver) {
    PunctualException last;
    synchronized (this) {
      onFailure = receiver;
      last = lastFailure;
    }
    if (last != null && !opened.isDone()) {
      receiver.accept(last);
    }
  }

  /**
   * Waits for the store. An interrupt ends the opening.
   *
   * @return the store, or null if the store is not open at the end of the time
   * @throws RuntimeException if the opening has failed, or this thread is interrupted
   */
  @Nullable Store await(Duration time) {
    try {
      return opened.get(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return null;
    } catch (InterruptedException e) {
      closeWithStore();
      Thread.currentThread().interrupt();
      throw new PunctualException("Interrupted while opening " + description, e);
    } catch (ExecutionException e) {
      throw thrown(e.getCause());
    }
  }

  private RuntimeException thrown(@Nullable Throwable failure) {
    return failure instanceof RuntimeException known
        ? known
        : new PunctualException(description + " can't be opened: " + failure, failure);
  }

  /** Returns the exception for a caller that stops waiting. */
  StoreUnavailableException timedOut(Duration time) {
    PunctualException last = lastFailure;
    return new StoreUnavailableException(
        description
            + " could not be opened within "
            + time.toMillis()
            + " ms: "
            + (last == null ? "the attempt has not ended" : last.getMessage()),
        last);
  }

  @Override
  public void run() {
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));
    boolean over = false;
    while (!over && !opened.isDone()) {
      over = attempt() || isClosedWithin(backoff.failed(ThreadLocalRandom.current()));
    }
  }

  /** Tries to open the store; returns whether this was the last attempt. */
  private boolean attempt() {
    try {
      Store store = open.get();
      if (!opened.complete(store)) {
        store.close();
      }
      return true;
    } catch (PunctualException e) {
      failed(e);
      return false;
    } catch (Throwable e) {
      opened.completeExceptionally(e);
      return true;
    }
  }

  /**
   * Passes a failure to the receiver, without holding the monitor, because the receiver may call a
   * user's observers.
   */
  private void failed(PunctualException failure) {
    Consumer<PunctualException> receiver;
    synchronized (this) {
      lastFailure = failure;
      receiver = onFailure;
    }
    if (!opened.isDone()) {
      receiver.accept(failure);
    }
  }

  private boolean isClosedWithin(long nanos) {
    try {
      return closed.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  /**
   * Ends the opening. If an attempt is running and opens a store later, that store is closed at
   * once. A store that was open before this call stays open.
   */
  void close() {
    boolean unused =
        opened.completeExceptionally(
            new StoreUnavailableException(description + " was closed before it was open", null));
    closed.countDown();
  }

  private void closeWithStore() {
    close();
    Store opened = store();
    if (opened != null) {
      opened.close();
    }
  }

  /** Returns the store; null if it is not open. */
  @Nullable Store store() {
    return opened.isDone() && !opened.isCompletedExceptionally() ? opened.join() : null;
  }

  /**
   * Returns the reason why the store is not open, for the exception of a request that was not sent.
   */
  String why() {
    if (opened.isCompletedExceptionally()) {
      return String.valueOf(StoreFailures.failure(opened).getMessage());
    }
    PunctualException last = lastFailure;
    return description
        + " is not open yet"
        + (last == null ? "" : ", because the last attempt failed: " + last.getMessage());
  }
}
