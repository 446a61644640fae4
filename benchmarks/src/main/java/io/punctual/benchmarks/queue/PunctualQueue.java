package io.punctual.benchmarks.queue;

import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.collection.DueQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Punctual, with the store of the URL and generated ids. */
final class PunctualQueue implements QueueContender {
  private final Punctual punctual;
  private final TimedQueue<byte[]> queue;
  private final int prefetch;
  private final int workerPrefetch;

  /**
   * Opens a queue.
   *
   * @param prefetch how many messages the due queue claims in advance, at most
   * @param workerPrefetch how many messages the worker claims beyond its free handlers, at most
   */
  PunctualQueue(String url, int prefetch, int workerPrefetch) {
    this.prefetch = prefetch;
    this.workerPrefetch = workerPrefetch;
    punctual = Punctual.open(url);
    queue = punctual.queue("bench", Codec.bytes());
  }

  @Override
  public Object schedule(BenchMessage message) {
    return queue.schedule(message.payload(), Duration.ofMillis(message.delayMillis())).id();
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return queue.async().schedule(message(message));
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) {
    return queue.scheduleAll(messages.stream().map(PunctualQueue::message).toList()).stream()
        .map(Scheduled::id)
        .toList();
  }

  @Override
  public boolean cancel(Object handle) {
    return queue.cancel((String) handle) == CancelOutcome.CANCELLED;
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    Worker unused =
        queue.work(
            WorkerOptions.builder().concurrency(handlers).prefetch(workerPrefetch).build(),
            delivery -> handler.accept(delivery.payload()));
  }

  @Override
  public BlockingQueue<byte[]> due() {
    return DueQueue.of(queue, ClaimOptions.DEFAULT.prefetch(prefetch));
  }

  @Override
  public void close() {
    punctual.close();
  }

  private static Message<byte[]> message(BenchMessage message) {
    return Message.of(message.payload()).dueIn(Duration.ofMillis(message.delayMillis()));
  }
}
