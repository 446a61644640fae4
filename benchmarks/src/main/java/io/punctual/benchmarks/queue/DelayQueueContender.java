package io.punctual.benchmarks.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The JDK's delay queue. It is in memory only, so a crash loses all messages. */
final class DelayQueueContender implements QueueContender {
  private final DelayQueue<Element> queue = new DelayQueue<>();
  private final RepeatingThreads threads = new RepeatingThreads();

  private static final class Element implements Delayed {
    private final byte[] payload;
    private final long due;

    Element(BenchMessage message) {
      payload = message.payload();
      due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(message.delayMillis());
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(due - ((Element) other).due);
    }
  }

  @Override
  public Object schedule(BenchMessage message) {
    Element element = new Element(message);
    queue.add(element);
    return element;
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return CompletableFuture.completedStage(schedule(message));
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) {
    List<Object> handles = new ArrayList<>();
    messages.forEach(message -> handles.add(schedule(message)));
    return handles;
  }

  @Override
  public boolean cancel(Object handle) {
    return queue.remove(handle);
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    threads.start(handlers, () -> handler.accept(queue.take().payload));
  }

  @Override
  public void close() {
    threads.stop();
  }
}
