package io.punctual.redisson;

import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * A Redisson client with the delayed queue and the ready queue of a name.
 *
 * @param <T> the elements' type
 */
@SuppressWarnings("deprecation") // The importer reads RDelayedQueue, which Redisson has deprecated.
final class DelayedQueues<T> implements AutoCloseable {
  private final RedissonClient client;
  final RBlockingQueue<T> ready;
  final RDelayedQueue<T> delayed;

  DelayedQueues(String url, String name, Codec codec) {
    this(single(url), name, codec);
  }

  DelayedQueues(Config config, String name, Codec codec) {
    client = Redisson.create(config.setNettyThreads(2).setThreads(2));
    ready = client.getBlockingQueue(name, codec);
    delayed = client.getDelayedQueue(ready);
  }

  static DelayedQueues<String> ofStrings(String url, String name) {
    return new DelayedQueues<>(url, name, StringCodec.INSTANCE);
  }

  private static Config single(String url) {
    Config config = new Config();
    config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(1);
    return config;
  }

  void offer(T element, long delayMillis) {
    delayed.offer(element, delayMillis, TimeUnit.MILLISECONDS);
  }

  /** Closes the client, as at the end of a process. The entries stay. */
  @Override
  public void close() {
    delayed.destroy();
    client.shutdown();
  }
}
