package io.punctual.lock.internal.quorum;

import static java.util.Objects.requireNonNull;

import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.lock.internal.hold.LockSession;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A server of a quorum. A server that was unavailable when the quorum was opened counts as silent,
 * until a later request finds that it is available and suitable. Thread-safe.
 */
public final class QuorumServer implements AutoCloseable {
  private static final Logger log = Logs.of(QuorumServer.class);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final @Nullable Supplier<LockSession> opener;
  private final Executor threads;
  private final Consumer<LockSession> check;
  private final AtomicBoolean isOpening = new AtomicBoolean();
  private volatile @Nullable LockSession session;
  private volatile @Nullable String warning;
  private volatile long triedNanos;
  private volatile boolean isClosed;

  private QuorumServer(
      String name,
      @Nullable Supplier<LockSession> opener,
      @Nullable LockSession session,
      Executor threads,
      Consumer<LockSession> check) {
    this.name = name;
    this.opener = opener;
    this.session = session;
    this.threads = threads;
    this.check = check;
  }

  /** Returns a server whose session the caller has opened and must close. */
  public static QuorumServer of(LockSession opened) {
    return new QuorumServer("", null, opened, Runnable::run, unchecked -> {});
  }

  /**
   * Returns a server that is not open yet.
   *
   * @param opener opens a session with the server
   * @param threads the executor that opens the server later, if it is unavailable at first
   * @param check checks a server that is opened later; throws if this server must not take part
   */
  public static QuorumServer closed(
      String name, Supplier<LockSession> opener, Executor threads, Consumer<LockSession> check) {
    return new QuorumServer(name, opener, null, threads, check);
  }

  /** Returns the session with the server; null while the server is not open. */
  public @Nullable LockSession session() {
    return session;
  }

  /**
   * Sends a question to the server. If the server is not open, the question fails, and an attempt
   * to open the server starts, at most one a second.
   */
  CompletableFuture<Long> ask(QuorumVotes.Question question) {
    LockSession there = session;
    if (there != null) {
      return question.ask(there.client());
    }
    if (System.nanoTime() - triedNanos > RETRY_NANOS && isOpening.compareAndSet(false, true)) {
      startAgain();
    }
    return CompletableFuture.failedFuture(new StoreUnavailableException(name + " is away", null));
  }

  private void startAgain() {
    try {
      threads.execute(this::tryAgain);
    } catch (Throwable e) {
      isOpening.set(false);
      throw e;
    }
  }

  private void tryAgain() {
    try {
      open(check);
      log.info("{} of a quorum takes part again", name);
    } catch (RuntimeException e) {
      warnOnce(e);
    } finally {
      isOpening.set(false);
    }
  }

  /**
   * Opens the server.
   *
   * @throws io.punctual.PunctualException if the server is unavailable or not suitable
   */
  void open() {
    open(unchecked -> {});
  }

  private void open(Consumer<LockSession> checked) {
    triedNanos = System.nanoTime();
    LockSession opened = requireNonNull(opener).get();
    try {
      checked.accept(opened);
    } catch (Throwable e) {
      try (opened) {
        throw e;
      }
    }
    session = opened;
    if (isClosed) {
      opened.close();
    }
  }

  /** Logs why the server takes no part; does not log the same reason twice in a row. */
  void warnOnce(RuntimeException why) {
    String message = String.valueOf(why.getMessage());
    if (!message.equals(warning)) {
      warning = message;
      log.warn("{} of a quorum takes no part in it: {}", name, message);
    }
  }

  /** Closes the session that this class has opened. */
  @Override
  public void close() {
    isClosed = true;
    LockSession opened = session;
    if (opener != null && opened != null) {
      opened.close();
    }
  }
}
