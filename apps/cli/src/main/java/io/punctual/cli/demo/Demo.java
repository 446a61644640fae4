package io.punctual.cli.demo;

import io.punctual.CancelOutcome;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.ProgressLine;
import io.punctual.jackson.JacksonCodec;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * Runs the demo: creates orders, and schedules a message for the random time-out of each. A fifth
 * of the orders are paid before their time-out, which cancels their messages. A worker receives the
 * other messages, and closes their orders. The demo has its own queue, and deletes the queue at the
 * end.
 */
final class Demo {
  private static final int BATCH = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int TICK_MILLIS = 100;

  private final Console console;
  private final Punctual punctual;
  private final RandomGenerator random;
  private final int orders;
  private final Duration within;
  private final TimedQueue<DemoOrder> timeouts;
  private final OrderBook book;
  private final WheelTimer payments = WheelTimer.builder().threadName("payments").build();

  Demo(Console console, Punctual punctual, RandomGenerator random, int orders, Duration within) {
    this.console = console;
    this.punctual = punctual;
    this.random = random;
    this.orders = orders;
    this.within = within;
    this.timeouts =
        punctual.queue(
            "demo-" + Long.toString(random.nextLong() >>> 1, Character.MAX_RADIX),
            JacksonCodec.of(DemoOrder.class));
    this.book = new OrderBook(orders);
  }

  /**
   * Runs until every order is delivered or cancelled, or the user ends the command. After the last
   * due time, gives up if no order has changed for 30 seconds.
   */
  OrderBook run() throws InterruptedException {
    try (ProgressLine line = ProgressLine.of(console);
        Worker worker = timeouts.work(this::closeOrder)) {
      DemoProgress progress = new DemoProgress(line, console.terminal(), book, orders);
      place(progress);
      await(progress, System.nanoTime() + within.toNanos());
      worker.close();
      payments.close();
      removeQueue();
    } finally {
      payments.close();
    }
    return book;
  }

  private void closeOrder(Delivery<DemoOrder> delivery) {
    book.delivered(delivery.payload().number(), delivery.claimedAt(), delivery.lateness());
  }

  /**
   * Counts the messages that are still in the queue, then deletes the queue. Each of these messages
   * was never delivered, or would be delivered again.
   */
  private void removeQueue() {
    book.leftBehind(timeouts.counts().pending());
    try {
      DeleteQueueOutcome unused = punctual.purgeAndDeleteQueue(timeouts.name());
    } catch (PunctualException e) {
      console.say("The demo's queue " + timeouts.name() + " stays: " + e.getMessage());
    }
  }

  private void place(DemoProgress progress) {
    for (int first = 0; first < orders && !console.stop().isAsked(); first += BATCH) {
      place(first, Math.min(orders, first + BATCH));
      progress.show();
    }
  }

  private void place(int from, int to) {
    List<Message<DemoOrder>> batch = new ArrayList<>(to - from);
    List<Duration> delays = new ArrayList<>(to - from);
    for (int number = from; number < to; number++) {
      DemoOrder order =
          new DemoOrder(number, "customer-" + random.nextInt(1000), random.nextInt(100_000));
      delays.add(timeout());
      batch.add(Message.of(order).id(DemoOrder.id(number)).dueIn(delays.get(number - from)));
    }
    List<Scheduled> answers = timeouts.scheduleAll(batch);
    for (int number = from; number < to; number++) {
      book.scheduled(number, answers.get(number - from).dueAt());
      if (number % 5 == 0) {
        payInTime(number, delays.get(number - from));
      }
    }
  }

  private Duration timeout() {
    long micros = TimeUnit.NANOSECONDS.toMicros(within.toNanos());
    return Duration.ofNanos(random.nextLong(micros / 20, micros + 1) * 1000);
  }

  private void payInTime(int number, Duration timeout) {
    long nanos = random.nextLong(timeout.toNanos() * 9 / 10 + 1);
    payments.schedule(nanos, () -> pay(number));
  }

  private void pay(int number) {
    CompletionStage<?> unused =
        timeouts
            .async()
            .cancel(DemoOrder.id(number))
            .whenComplete(
                (outcome, failure) -> {
                  if (outcome == CancelOutcome.CANCELLED) {
                    book.cancelled(number);
                  } else if (failure != null) {
                    book.maybeCancelled(number);
                  }
                });
  }

  private void await(DemoProgress progress, long lastDueNanos) throws InterruptedException {
    while (book.ended() < orders && !isHopeless(lastDueNanos) && !isStopped()) {
      progress.show();
    }
    progress.show();
  }

  private boolean isHopeless(long lastDueNanos) {
    return System.nanoTime() - lastDueNanos > 0 && book.silence().compareTo(PATIENCE) > 0;
  }

  /** Waits for the next tick of the progress line; returns whether the user wants to end. */
  private boolean isStopped() throws InterruptedException {
    try {
      Object unused = console.stop().asked().get(TICK_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException goOn) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
