package io.punctual.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.punctual.ClientClosedException;
import io.punctual.Scheduled;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves messages from RabbitMQ to the store: schedules each message, waits for the store's
 * confirmation, then acks the message. A message that the store can never hold goes to a queue for
 * refused messages. If the store fails, the messages stay unacked, and the loop schedules them
 * again after a pause.
 *
 * <p>One thread owns the state. Callbacks of the store and of RabbitMQ's client hand over tasks to
 * this thread. The prefetch bounds the number of tasks.
 */
final class IntakeLoop implements IntakeQueue.Listener {
  private static final long FIRST_PAUSE_MILLIS = 250;
  private static final long LONGEST_PAUSE_MILLIS = 15_000;

  /**
   * About the largest number of tasks between acks. It is small, because RabbitMQ delivers unacked
   * messages again after a crash.
   */
  private static final int TASKS_BEFORE_ACK = 64;

  /** How long a close waits for calls to a broker that may not answer. */
  private static final long LAST_CALL_MILLIS = 6_000;

  private final IntakeSettings settings;
  private final TimedQueue<byte[]> store;
  private final Connector connector;
  private final ConfirmedPublisher publisher;
  private final Thread thread;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Queue<Arrival> failed = new ArrayDeque<>();
  private final IntakeLog log;
  private @Nullable Connection opened;
  private @Nullable IntakeQueue current;
  private @Nullable Throwable lost;
  private int failures;
  private long retryNanos;
  private volatile boolean closing;
  private volatile long closeNanos;

  IntakeLoop(
      IntakeSettings settings,
      TimedQueue<byte[]> store,
      Connector connector,
      ConfirmedPublisher publisher) {
    this.settings = settings;
    this.store = store;
    this.connector = connector;
    this.publisher = publisher;
    log = new IntakeLog(connector.name(), store.name(), settings.topology());
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
      for (int attempt = 0; !closing; attempt++) {
        Connection connection = opened == null ? connector.connect() : opened;
        opened = null;
        if (connection != null && serve(connection)) {
          attempt = 0;
        }
        if (!closing) {
          connector.pause(attempt);
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
    failed.clear();
    boolean started = false;
    try {
      IntakeQueue queue = open(connection);
      current = queue;
      started = true;
      while (lost == null && !isDrained(queue)) {
        work(queue);
      }
    } catch (IOException | TimeoutException | RuntimeException | Error e) {
      // An error, such as a lack of memory for a thread, may pass.
      lost = lost == null ? e : lost;
    } finally {
      current = null;
      connector.close(connection);
    }
    if (!closing) {
      connector.failed(
          "the intake queue '" + settings.topology().queue() + "' can't be consumed", lost);
    }
    return started;
  }

  private IntakeQueue open(Connection connection) throws IOException, TimeoutException {
    if (settings.declares()) {
      settings.topology().declare(connection);
    }
    IntakeQueue queue = new IntakeQueue(connection, settings.prefetch(), this);
    queue.consume(settings.topology().queue(), this);
    if (settings.declares()) {
      queue.consume(settings.topology().expiredQueue(), this);
    }
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
    Runnable task = tasks.poll(waitMillis(), TimeUnit.MILLISECONDS);
    for (int count = 0; task != null && count < TASKS_BEFORE_ACK; count++) {
      task.run();
      task = tasks.poll();
    }
    if (task != null) {
      task.run();
    }
    if (!failed.isEmpty() && isRetryDue()) {
      retry();
    }
    queue.ackFinished();
  }

  private long waitMillis() {
    long latest = closing ? 50 : 1_000;
    if (failed.isEmpty()) {
      return latest;
    }
    long left = TimeUnit.NANOSECONDS.toMillis(retryNanos - System.nanoTime()) + 1;
    return Math.max(0, Math.min(latest, left));
  }

  private boolean isRetryDue() {
    return System.nanoTime() - retryNanos >= 0;
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
      // The message stays unacked, and the connection stays open, because a new connection would
      // receive the same message again.
      queue.keep(delivery.getEnvelope().getDeliveryTag());
      log.unreadable(delivery, e);
      return;
    }
    queue.add(arrival);
    log.checkDelay(arrival);
    if (failed.isEmpty()) {
      schedule(arrival);
    } else {
      failed.add(arrival);
    }
  }

  private void schedule(Arrival arrival) {
    try {
      then(
          store.scheduleAsync(arrival.message(), arrival.ifPresent()),
          arrival,
          (scheduled, failure) -> scheduled(arrival, scheduled, failure));
    } catch (RuntimeException e) {
      failed(arrival, e);
    }
  }

  /**
   * Runs the action on the thread of the loop when the stage has completed, unless the connection
   * has been lost.
   */
  private <R> void then(
      CompletionStage<R> stage, Arrival arrival, BiConsumer<R, @Nullable Throwable> action) {
    CompletionStage<R> unused =
        stage.whenComplete(
            (result, failure) ->
                tasks.add(
                    () -> {
                      if (current != null && current.channel() == arrival.channel()) {
                        action.accept(result, failure);
                      }
                    }));
  }

  private void scheduled(Arrival arrival, Scheduled scheduled, @Nullable Throwable failure) {
    if (failure != null) {
      failed(arrival, failure);
    } else if (scheduled.isStored()) {
      failures = 0;
      arrival.finish();
    } else {
      lookUp(arrival);
    }
  }

  private void lookUp(Arrival arrival) {
    try {
      then(
          store.findAsync(arrival.id()),
          arrival,
          (found, failure) -> found(arrival, found, failure));
    } catch (RuntimeException e) {
      failed(arrival, e);
    }
  }

  /** Decides whether a message is a repetition of the stored message with the same id. */
  private void found(
      Arrival arrival, Optional<StoredMessage<byte[]>> found, @Nullable Throwable failure) {
    if (failure != null) {
      failed(arrival, failure);
    } else if (found.isEmpty()) {
      // The message with this id was removed in the meantime, for example after its delivery.
      schedule(arrival);
    } else if (found.get().state() == State.FINISHED) {
      // The store remembers only the id of the finished message.
      log.duplicate(arrival);
      arrival.finish();
    } else if (!arrival.isSame(found.get())) {
      log.sameId(arrival);
      arrival.changeId();
      schedule(arrival);
    } else if (found.get().state() == State.DEAD || found.get().isCancelled()) {
      arrival.replace();
      schedule(arrival);
    } else {
      log.duplicate(arrival);
      arrival.finish();
    }
  }

  private void failed(Arrival arrival, Throwable failure) {
    Throwable cause = unwrapped(failure);
    if (cause instanceof IllegalArgumentException) {
      refuse(arrival, cause);
      return;
    }
    if (cause instanceof ClientClosedException) {
      log.storeClosed();
      closing = true;
      closeNanos = System.nanoTime();
      return;
    }
    if (failed.isEmpty()) {
      long pause = FIRST_PAUSE_MILLIS << Math.min(failures++, 10);
      retryNanos =
          System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(pause, LONGEST_PAUSE_MILLIS));
    }
    failed.add(arrival);
    log.notStored(arrival, cause);
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  private void retry() {
    Queue<Arrival> again = new ArrayDeque<>(failed);
    failed.clear();
    again.forEach(this::schedule);
  }

  /** Moves a message that the store can never hold to the queue for refused messages. */
  private void refuse(Arrival arrival, Throwable reason) {
    Outgoing message = RefusedMessage.of(arrival, settings.topology().refusedQueue(), reason);
    publisher.publish(message);
    then(
        message.confirmed(),
        arrival,
        (confirmed, failure) -> {
          if (failure != null) {
            failed(arrival, new IOException("The message was not moved", failure));
            return;
          }
          log.refused(arrival, reason);
          arrival.finish();
        });
  }

  /**
   * Stops the deliveries, waits up to the grace period until the store has confirmed the messages
   * that have arrived, and closes the connection. Messages that are not acked stay in RabbitMQ.
   */
  void close(Duration grace) {
    closeNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(grace.toMillis());
    closing = true;
    connector.stop();
    tasks.add(() -> {});
    try {
      thread.join(grace.toMillis() + LAST_CALL_MILLIS);
      if (thread.isAlive()) {
        connector.breakConnection();
        thread.join(LAST_CALL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
