package io.punctual.benchmarks.timer;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/**
 * The timing wheels of Kafka's brokers, advanced by a thread as in a broker. A tick is a
 * millisecond.
 */
final class KafkaTimer implements Contender {
  private static final int WHEEL_SIZE = 20;
  private static final long WAIT_MILLIS = 200;

  private final SystemTimer timer =
      new SystemTimer("kafka", 1, WHEEL_SIZE, TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  private final Thread reaper;

  KafkaTimer(ThreadFactory threads) {
    reaper = threads.newThread(this::advance);
    reaper.start();
  }

  private static final class Task extends TimerTask {
    private final Runnable task;

    Task(Runnable task, long delayMillis) {
      super(delayMillis);
      this.task = task;
    }

    @Override
    public void run() {
      task.run();
    }
  }

  @Override
  public Object task(Runnable task) {
    return task;
  }

  @Override
  public Object schedule(Object task, long delayNanos) {
    Task kafka = new Task((Runnable) task, TimeUnit.NANOSECONDS.toMillis(delayNanos + 999_999));
    timer.add(kafka);
    return kafka;
  }

  @Override
  public boolean cancel(Object timeout) {
    ((Task) timeout).cancel();
    return true;
  }

  @Override
  public void close() {
    reaper.interrupt();
    timer.close();
  }

  private void advance() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        boolean unused = timer.advanceClock(WAIT_MILLIS);
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }
}
