package io.punctual.redisson;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Threads that take elements of Redisson's ready queue, without a delayed queue of their own. */
final class TakerThreads implements AutoCloseable {
  private final RedissonClient client;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  private TakerThreads(RedissonClient client) {
    this.client = client;
  }

  static TakerThreads start(String url, String queue, int count, Ledger ledger) {
    Config config = new Config();
    config.setNettyThreads(2).setThreads(2).useSingleServer().setAddress(url);
    TakerThreads takers = new TakerThreads(Redisson.create(config));
    RBlockingQueue<String> ready = takers.client.getBlockingQueue(queue, StringCodec.INSTANCE);
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> takers.take(ready, ledger), "taker-" + i);
      takers.threads.add(thread);
      thread.start();
    }
    return takers;
  }

  private void take(RBlockingQueue<String> ready, Ledger ledger) {
    while (!closed) {
      try {
        String payload = ready.poll(1, TimeUnit.SECONDS);
        if (payload != null) {
          ledger.redissonDelivered(payload);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    for (Thread thread : threads) {
      thread.join();
    }
    client.shutdown();
  }
}
