package io.punctual.lock;

import static java.util.Objects.requireNonNull;

import io.punctual.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of a quorum. A server that was unavailable when the quorum was opened counts as silent,
 * until a later request finds that it is available and suitable. Thread-safe.
 */
final class QuorumServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(QuorumServer.class);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final @Nullable RedisLocksBuilder builder;
  private final Executor threads;
  private final Consumer<RedisLocks> check;
  private final AtomicBoolean isOpening = new AtomicBoolean();
  private volatile @Nullable RedisLocks locks;
  private volatile @Nullable String warning;
  private volatile long triedNanos;
  private volatile boolean isClosed;

  private QuorumServer(
      String name,
      @Nullable RedisLocksBuilder builder,
      @Nullable RedisLocks locks,
      Executor threads,
      Consumer<RedisLocks> check) {
    this.name = name;
    this.builder = builder;
    this.locks = locks;
    this.threads = threads;
    this.check = check;
  }

  /** Returns a server whose locks the caller has opened and must close. */
  static QuorumServer of(RedisLocks opened) {
    return new QuorumServer("", null, opened, Runnable::run, locks -> {});
  }

  /**
   * Returns a server that is not open yet.
   *
   * @param threads the executor that opens the server later, if it is unavailable at first
   * @param check checks a server that is opened later; throws if this server must not take part
   */
  static QuorumServer closed(
      String name, RedisLocksBuilder builder, Executor threads, Consumer<RedisLocks> check) {
    return new QuorumServer(name, builder, null, threads, check);
  }

  /** Returns the locks on the server; null while the server is not open. */
  @Nullable RedisLocks locks() {
    return locks;
  }

  /**
   * Sends a question to the server. If the server is not open, the question fails, and an attempt
   * to open the server starts.
   */
  CompletableFuture<Long> ask(QuorumVotes.Question question) {
    RedisLocks there = locks;
    if (there != null) {
      return question.ask(there.client());
    }
    if (System.nanoTime() - triedNanos > RETRY_NANOS && isOpening.compareAndSet(false, true)) {
      threads.execute(this::tryAgain);
    }
    return CompletableFuture.failedFuture(new StoreUnavailableException(name + " is away", null));
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

  private void open(Consumer<RedisLocks> checked) {
    triedNanos = System.nanoTime();
    RedisLocks opened = requireNonNull(builder).open();
    try {
      checked.accept(opened);
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
    locks = opened;
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

  /** Closes the locks that this class has opened. */
  @Override
  public void close() {
    isClosed = true;
    RedisLocks opened = locks;
    if (builder != null && opened != null) {
      opened.close();
    }
  }
}
