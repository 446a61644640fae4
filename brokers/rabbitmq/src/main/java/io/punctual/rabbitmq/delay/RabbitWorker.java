package io.punctual.rabbitmq.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import io.punctual.WorkerOptions;
import io.punctual.rabbitmq.internal.Connector;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Delivers a queue's due messages to a handler until the worker is closed. After a failure of the
 * connection the worker connects again, and the broker repeats the delivery of messages whose acks
 * it has not received.
 *
 * <p>Closing a worker stops the deliveries, waits for running handlers up to the grace period, and
 * then interrupts the handlers that still run. If a handler does not end even then, its message
 * goes back to the queue. A second close waits for the same shutdown. A close in the worker's own
 * handler starts the shutdown and returns. Safe for use by many threads.
 */
public final class RabbitWorker implements AutoCloseable {
  private static final long AFTER_INTERRUPT_MILLIS = 5_000;

  /** The pauses get longer while consumers end sooner than this. */
  private static final Duration SHORT_LIFE = Duration.ofSeconds(10);

  private static final ThreadLocal<RabbitWorker> CURRENT = new ThreadLocal<>();

  private final Connector connector;
  private final String queue;
  private final int concurrency;
  private final Duration grace;
  private final HandlerRun<?> handlers;
  private final DelayLog log;
  private final ThreadPoolExecutor threads;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  @GuardedBy("this") private @Nullable ConsumerChannel consumer;

  RabbitWorker(
      Connector connector,
      String queue,
      WorkerOptions options,
      HandlerRun<?> handlers,
      DelayLog log) {
    this.connector = connector;
    this.queue = queue;
    this.concurrency = options.concurrency();
    this.grace = options.shutdownGrace();
    this.handlers = handlers;
    this.log = log;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            concurrency,
            concurrency,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, "punctual-" + queue + "-" + number.incrementAndGet()));
    threads.allowCoreThreadTimeOut(true);
  }

  /** Starts the consumer, or throws if the broker can't be reached or refuses it. */
  void start() {
    ConsumerChannel first = open(Connections.open(connector));
    boolean started = false;
    try {
      daemon(() -> consume(first), "punctual-" + queue + "-consumer").start();
      started = true;
    } finally {
      if (!started) {
        first.close();
      }
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private ConsumerChannel open(Connection connection) {
    ConsumerChannel opened =
        ConsumerChannel.open(connector, connection, queue, concurrency, this::received);
    synchronized (this) {
      consumer = opened;
    }
    return opened;
  }

  /** Starts the consumer again whenever it ends, until the close. */
  private void consume(ConsumerChannel first) {
    ConsumerChannel current = first;
    try {
      while (!closing.get()) {
        if (current != null) {
          long begin = System.nanoTime();
          String reason = current.awaitEnd();
          if (closing.get()) {
            return;
          }
          log.consumerEnded(reason);
          current.close();
          pauseAfter(System.nanoTime() - begin);
        }
        current = reopen();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (current != null) {
      // The close may have missed a consumer that started at the same time.
      current.close();
    }
  }

  /**
   * Pauses before the next consumer, longer if several have ended soon. Without pauses, they would
   * burden the broker, and on a quorum queue each of them costs the fetched messages a delivery.
   */
  private void pauseAfter(long nanos) {
    if (nanos > SHORT_LIFE.toNanos()) {
      connector.worked();
    }
    connector.pause();
  }

  /** Returns a new consumer. If the start of the consumer fails, pauses and returns null. */
  private @Nullable ConsumerChannel reopen() {
    Connection connection = connector.connect(failure -> {});
    if (connection == null) {
      return null;
    }
    try {
      return open(connection);
    } catch (RuntimeException | Error e) {
      // An error, such as a lack of memory for a thread, may pass.
      connector.failed("queue '" + queue + "' can't be consumed", e);
      connector.pause();
      return null;
    }
  }

  private void received(ConsumerChannel from, Delivery message) {
    try {
      threads.execute(() -> run(from, message));
    } catch (RejectedExecutionException closing) {
      // The broker delivers the message again when this channel closes.
    }
  }

  private void run(ConsumerChannel from, Delivery message) {
    CURRENT.set(this);
    running.incrementAndGet();
    try {
      handlers.run(from, message);
    } catch (IllegalArgumentException e) {
      // The headers of a copy do not fit into a frame. Without a settlement, the message would
      // count towards the prefetch until the channel closes.
      try {
        log.notSettled(message.getProperties().getMessageId(), e);
      } finally {
        from.reject(message);
      }
    } catch (Throwable e) {
      try {
        log.givenBack(message.getProperties().getMessageId(), e);
        // The failure may repeat at once.
        handlers.pause();
      } finally {
        from.giveBack(message);
      }
    } finally {
      running.decrementAndGet();
      CURRENT.remove();
    }
  }

  /** Returns the queue's name. */
  public String queue() {
    return queue;
  }

  /** Returns the number of running handlers. */
  public int running() {
    return running.get();
  }

  /** Returns whether a close has begun. */
  public boolean isClosed() {
    return closing.get();
  }

  /** Waits until a close of the worker has ended. */
  public void await() throws InterruptedException {
    closed.await();
  }

  /** Closes the worker with the grace period of its options. */
  @Override
  public void close() {
    close(grace);
  }

  /** Closes the worker with this grace period. */
  public void close(Duration grace) {
    beginClose(grace);
    if (CURRENT.get() == this) {
      return;
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Starts the shutdown with the grace period of the options, unless it has begun. */
  void beginClose() {
    beginClose(grace);
  }

  private void beginClose(Duration grace) {
    if (closing.compareAndSet(false, true)) {
      connector.stop();
      daemon(() -> shutDown(grace), "punctual-" + queue + "-close").start();
    }
  }

  private void shutDown(Duration grace) {
    ConsumerChannel last;
    synchronized (this) {
      last = consumer;
    }
    try {
      if (last != null) {
        last.cancel();
      }
      threads.shutdown();
      awaitHandlers(grace);
    } finally {
      if (last != null) {
        last.close();
      }
      closed.countDown();
    }
  }

  private void awaitHandlers(Duration grace) {
    try {
      if (threads.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      handlers.endGrace();
      threads.shutdownNow();
      if (!threads.awaitTermination(AFTER_INTERRUPT_MILLIS, TimeUnit.MILLISECONDS)) {
        log.handlersLeft(running.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
