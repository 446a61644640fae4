package io.punctual.benchmarks.queue;

import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.Consumer;

/**
 * A sorted set, a job that moves due members to a list every second, and threads that block on the
 * list: a delay queue that many articles describe.
 */
final class ListCronQueue extends RedisContender {
  private static final byte[] DELAYED = bytes("bench:delayed");
  private static final byte[] READY = bytes("bench:ready");
  private static final long PERIOD_MILLIS = 1_000;
  private static final int BATCH = 1_000;

  ListCronQueue(String url) {
    super(url);
  }

  @Override
  RedisFuture<?> send(BenchMessage message, byte[] payload) {
    double due = System.currentTimeMillis() + message.delayMillis() + 1.0;
    return connection.async().zadd(DELAYED, due, payload);
  }

  @Override
  public boolean cancel(Object handle) {
    return connection.sync().zrem(DELAYED, (byte[]) handle) == 1;
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    threads.start(1, this::move);
    for (int i = 0; i < handlers; i++) {
      StatefulRedisConnection<byte[], byte[]> own = connect();
      threads.start(1, () -> take(own, handler));
    }
  }

  private void move() throws InterruptedException {
    RedisCommands<byte[], byte[]> commands = connection.sync();
    List<byte[]> due;
    do {
      Range<Long> past = Range.create(0L, System.currentTimeMillis());
      due = commands.zrangebyscore(DELAYED, past, Limit.create(0, BATCH));
      for (byte[] payload : due) {
        if (commands.zrem(DELAYED, payload) == 1) {
          commands.rpush(READY, payload);
        }
      }
    } while (due.size() == BATCH);
    Thread.sleep(PERIOD_MILLIS);
  }

  private static void take(StatefulRedisConnection<byte[], byte[]> own, Consumer<byte[]> handler) {
    KeyValue<byte[], byte[]> taken = own.sync().blpop(1, READY);
    if (taken != null) {
      handler.accept(taken.getValue());
    }
  }
}
