package io.punctual.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.TimedQueue;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Connector;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Moves messages from RabbitMQ to the store: schedules each message, waits for the store's
 * confirmation, then acks the message. A message that the store can never hold goes to a queue for
 * refused messages. If the store fails, the messages stay unacked, and each is scheduled again
 * after a pause of its own.
 *
 * <p>One thread owns the state. Callbacks of the store and of RabbitMQ's client hand over tasks to
 * this thread. The prefetch bounds the number of tasks, and {@link Inflow} the bytes of the
 * messages.
 */
final class IntakeLoop implements IntakeQueue.Listener, Storing.Loop {
  /**
   * About the largest number of tasks between acks. It is small, because RabbitMQ delivers unacked
   * messages again after a crash.
   */
  private static final int TASKS_BEFORE_ACK = 64;

  /** How long a close waits after its grace period for calls to a broker that may not answer. */
  private static final long LAST_CALL_MILLIS = 3_000;

  private final IntakeSettings settings;
  private final Connector connector;
  private final Thread thread;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final IntakeLog log;
  private final IntakeCounters counters = new IntakeCounters();
  private final Storing storing;
  private @Nullable Connection opened;
  private @Nullable IntakeQueue current;
  private @Nullable Throwable lost;
  private volatile boolean consuming;
  private volatile boolean closing;
  private volatile long closeNanos;

  IntakeLoop(
      IntakeSettings settings,
      TimedQueue<byte[]> store,
      Connector connector,
      ConfirmedPublisher publisher,
      IntakeLog log) {
    this.settings = settings;
    this.connector = connector;
    this.log = log;
    storing = new Storing(settings, store, publisher, log, counters, this);
    thread = new Thread(this::run, connector.name());
    thread.setDaemon(true);
  }

  /**
   * Starts the thread. {@code first} is an open connection, or null if the thread has to open a
   * connection.
   */
  void start(@Nullable Connection first) {
    opened = first;
    thread.start();
  }

  private void run() {
    try {
      while (!closing) {
        Connection next = opened;
        opened = null;
        connector.serve(next, failure -> {}, this::serve);
        if (!closing) {
          connector.pause();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      connector.stop();
    }
  }

  /**
   * Serves until the connection is lost. During a close, serves until no message remains to be
   * acked, or the grace period has passed. Returns whether the consumers started.
   */
  private boolean serve(Connection connection) throws InterruptedException {
    lost = null;
    storing.clear();
    boolean started = false;
    try {
      IntakeQueue queue = open(connection);
      current = queue;
      started = true;
      consuming = true;
      while (lost == null && !isDrained(queue)) {
        work(queue);
      }
    } catch (IOException | RuntimeException | Error e) {
      // An error, such as a lack of memory for a thread, may pass.
      lost = lost == null ? e : lost;
    } finally {
      consuming = false;
      end();
      connector.close(connection);
    }
    if (!closing) {
      connector.failed(
          "the intake queue '" + settings.topology().queue() + "' can't be consumed", lost);
    }
    return started;
  }

  private void end() {
    IntakeQueue queue = current;
    if (queue != null) {
      queue.end();
    }
    current = null;
    storing.clear();
    tasks.clear();
  }

  private IntakeQueue open(Connection connection) throws IOException {
    boolean canWait = connector.readsOnOwnThread();
    Inflow inflow = new Inflow(canWait ? Inflow.usualLimit() : Long.MAX_VALUE);
    int prefetch =
        canWait ? settings.prefetch() : Math.min(settings.prefetch(), Inflow.largeMessages());
    IntakeQueue queue = new IntakeQueue(connection, inflow, counters, this);
    // This queue is usually empty. Its messages arrive before the thread that reads can wait.
    if (settings.declares()) {
      queue.consume(
          settings.topology().expiredQueue(), Math.min(prefetch, Inflow.largeMessages()), this);
    }
    queue.consume(settings.topology().queue(), prefetch, this);
    inflow.start();
    return queue;
  }

  private boolean isDrained(IntakeQueue queue) throws IOException {
    if (!closing) {
      return false;
    }
    queue.cancel();
    return queue.unacked() == 0 || System.nanoTime() - closeNanos >= 0;
  }

  private void work(IntakeQueue queue) throws IOException, InterruptedException {
    long longest = TimeUnit.MILLISECONDS.toNanos(closing ? 50 : 1_000);
    Runnable task = tasks.poll(storing.retry(longest), TimeUnit.NANOSECONDS);
    for (int count = 0; task != null && count < TASKS_BEFORE_ACK; count++) {
      task.run();
      task = tasks.poll();
    }
    if (task != null) {
      task.run();
    }
    queue.ackFinished();
  }

  @Override
  public void arrived(Channel channel, Delivery delivery) {
    tasks.add(
        () -> {
          IntakeQueue queue = current;
          if (queue != null && queue.channel() == channel) {
            accept(queue, delivery);
          }
        });
  }

  @Override
  public void ended(Channel channel, ShutdownSignalException cause) {
    tasks.add(() -> lost(channel, cause));
  }

  @Override
  public void cancelled(Channel channel) {
    tasks.add(
        () -> lost(channel, new IOException("RabbitMQ cancelled the consumer; is a queue gone?")));
  }

  private void lost(Channel channel, Throwable cause) {
    if (current != null && current.channel() == channel) {
      lost = cause;
    }
  }

  private void accept(IntakeQueue queue, Delivery delivery) {
    Arrival arrival;
    try {
      arrival =
          new Arrival(
              queue.channel(),
              delivery,
              OriginalMessage.of(delivery, settings.topology().queue()),
              settings.usesMessageIds());
    } catch (RuntimeException e) {
      Arrival unreadable = Arrival.unreadable(queue.channel(), delivery);
      queue.add(unreadable);
      storing.refuse(unreadable, e);
      return;
    }
    queue.add(arrival);
    log.checkDelay(arrival);
    storing.schedule(arrival);
  }

  @Override
  public void run(Arrival arrival, Runnable task) {
    tasks.add(
        () -> {
          if (current != null && current.channel() == arrival.channel()) {
            task.run();
          }
        });
  }

  @Override
  public void storeIsClosed() {
    closing = true;
    closeNanos = System.nanoTime();
  }

  IntakeStats stats() {
    return counters.stats();
  }

  /** Returns whether messages are received, and the last call to the store succeeded. */
  boolean isAvailable() {
    return consuming && !counters.isStoreAway();
  }

  /**
   * Stops the deliveries. The thread then waits up to the grace period until the store has
   * confirmed the messages that have arrived, and closes the connection. Messages that are not
   * acked stay in RabbitMQ.
   */
  void beginClose(Duration grace) {
    closeNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(grace.toMillis());
    closing = true;
    connector.stop();
    tasks.add(() -> {});
    if (!consuming) {
      // An attempt to connect may hang, and no message waits for its end.
      connector.breakConnection();
    }
  }

  /** Waits for the end of the thread, until about four seconds after the grace period. */
  void awaitClose() {
    long left = TimeUnit.NANOSECONDS.toMillis(closeNanos - System.nanoTime()) + LAST_CALL_MILLIS;
    try {
      thread.join(Math.max(1, left));
      if (thread.isAlive()) {
        connector.breakConnection();
        thread.join(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
