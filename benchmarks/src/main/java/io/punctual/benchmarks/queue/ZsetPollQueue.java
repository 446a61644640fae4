package io.punctual.benchmarks.queue;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.Consumer;

/**
 * A sorted set that threads poll with a script that removes due members, with a pause of 100 ms if
 * none are due: a delay queue that many articles describe. Removed messages are not restored after
 * a crash.
 */
final class ZsetPollQueue extends RedisContender {
  private static final byte[] KEY = bytes("bench");
  private static final long PAUSE_MILLIS = 100;
  private static final String BATCH = "100";
  private static final String TAKE =
      "local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2]) "
          + "if #due > 0 then redis.call('ZREM', KEYS[1], unpack(due)) end "
          + "return due";

  ZsetPollQueue(String url) {
    super(url);
  }

  @Override
  RedisFuture<?> send(BenchMessage message, byte[] payload) {
    double due = System.currentTimeMillis() + message.delayMillis() + 1.0;
    return connection.async().zadd(KEY, due, payload);
  }

  @Override
  public boolean cancel(Object handle) {
    return connection.sync().zrem(KEY, (byte[]) handle) == 1;
  }

  @Override
  public void consume(int handlers, Consumer<byte[]> handler) {
    RedisCommands<byte[], byte[]> commands = connection.sync();
    String script = commands.scriptLoad(bytes(TAKE));
    threads.start(handlers, () -> poll(commands, script, handler));
  }

  private static void poll(
      RedisCommands<byte[], byte[]> commands, String script, Consumer<byte[]> handler)
      throws InterruptedException {
    byte[] now = bytes(Long.toString(System.currentTimeMillis()));
    List<byte[]> due =
        commands.evalsha(script, ScriptOutputType.MULTI, new byte[][] {KEY}, now, bytes(BATCH));
    due.forEach(handler);
    if (due.isEmpty()) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
