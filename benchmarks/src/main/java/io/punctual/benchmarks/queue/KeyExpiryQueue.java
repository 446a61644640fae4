package io.punctual.benchmarks.queue;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Keys that expire, and a subscription to their expiry events. The key's name contains the payload,
 * because the value is gone when the event arrives. An event without a subscriber is lost, and each
 * subscriber receives all events.
 */
final class KeyExpiryQueue extends RedisContender {
  private static final byte[] EVENTS = bytes("__keyevent@0__:expired");
  private static final byte[] PREFIX = bytes("bench:");
  private static final byte[] EMPTY = {};

  KeyExpiryQueue(String url) {
    super(url);
    connection.sync().configSet("notify-keyspace-events", "Ex");
  }

  @Override
  RedisFuture<?> send(BenchMessage message, byte[] payload) {
    long delay = Math.max(1, message.delayMillis());
    return connection.async().set(key(payload), EMPTY, SetArgs.Builder.px(delay));
  }

  @Override
  public boolean cancel(Object handle) {
    return connection.sync().del(key((byte[]) handle)) == 1;
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    ExecutorService executor =
        Executors.newFixedThreadPool(
            handlers,
            task -> {
              Thread thread = new Thread(task, "handler");
              thread.setDaemon(true);
              return thread;
            });
    StatefulRedisPubSubConnection<byte[], byte[]> events =
        client.connectPubSub(ByteArrayCodec.INSTANCE);
    events.addListener(
        new RedisPubSubAdapter<byte[], byte[]>() {
          @Override
          public void message(byte[] channel, byte[] key) {
            executor.execute(
                () -> handler.accept(Arrays.copyOfRange(key, PREFIX.length, key.length)));
          }
        });
    events.sync().subscribe(EVENTS);
  }

  private static byte[] key(byte[] payload) {
    byte[] key = Arrays.copyOf(PREFIX, PREFIX.length + payload.length);
    System.arraycopy(payload, 0, key, PREFIX.length, payload.length);
    return key;
  }
}
