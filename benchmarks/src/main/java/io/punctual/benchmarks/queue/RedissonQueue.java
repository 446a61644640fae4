package io.punctual.benchmarks.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.Config;

/**
 * Redisson's RDelayedQueue with a blocking queue that threads take from. The number of threads is
 * at most half the default connection pool, because each thread occupies a connection while it
 * waits, and producers need connections too.
 */
@SuppressWarnings("deprecation") // RDelayedQueue is deprecated; its successor is not open source
final class RedissonQueue implements QueueContender {
  private static final int MAX_TAKERS = 32;

  private final RedissonClient client;
  private final RBlockingQueue<byte[]> ready;
  private final RDelayedQueue<byte[]> delayed;
  private final RepeatingThreads takers = new RepeatingThreads();

  RedissonQueue(String url) {
    Config config = new Config();
    config.useSingleServer().setAddress(url);
    client = Redisson.create(config);
    ready = client.getBlockingQueue("bench", ByteArrayCodec.INSTANCE);
    delayed = client.getDelayedQueue(ready);
  }

  @Override
  public Object schedule(BenchMessage message) {
    byte[] payload = message.payload();
    delayed.offer(payload, message.delayMillis(), TimeUnit.MILLISECONDS);
    return payload;
  }

  @Override
  public CompletionStage<?> scheduleAsync(BenchMessage message) {
    return delayed.offerAsync(message.payload(), message.delayMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public List<?> scheduleAll(List<BenchMessage> messages) {
    List<byte[]> payloads = new ArrayList<>();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (BenchMessage message : messages) {
      byte[] payload = message.payload();
      payloads.add(payload);
      answers.add(
          delayed
              .offerAsync(payload, message.delayMillis(), TimeUnit.MILLISECONDS)
              .toCompletableFuture());
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
    return payloads;
  }

  @Override
  public boolean cancel(Object handle) {
    return delayed.remove(handle);
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    takers.start(Math.min(handlers, MAX_TAKERS), () -> handler.accept(ready.take()));
  }

  @Override
  public BlockingQueue<byte[]> due() {
    return ready;
  }

  @Override
  public void close() {
    takers.stop();
    client.shutdown();
  }
}
