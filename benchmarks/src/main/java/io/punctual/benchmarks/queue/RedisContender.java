package io.punctual.benchmarks.queue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The common parts of the queues written directly on Redis. */
abstract class RedisContender implements QueueContender {
  final RedisClient client;
  final StatefulRedisConnection<byte[], byte[]> connection;
  final HandlerThreads threads = new HandlerThreads();

  RedisContender(String url) {
    client = RedisClient.create(url);
    connection = connect();
  }

  /** Sends the commands that schedule the entry; the future completes when it is stored. */
  abstract RedisFuture<?> send(Entry entry, byte[] payload);

  @Override
  public final Object schedule(Entry entry) throws Exception {
    byte[] payload = entry.payload();
    Object unused = send(entry, payload).get();
    return payload;
  }

  @Override
  public final CompletionStage<?> scheduleAsync(Entry entry) {
    return send(entry, entry.payload());
  }

  @Override
  public final List<?> scheduleAll(List<Entry> entries) {
    List<byte[]> payloads = new ArrayList<>();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Entry entry : entries) {
      byte[] payload = entry.payload();
      payloads.add(payload);
      answers.add(send(entry, payload).toCompletableFuture());
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
    return payloads;
  }

  final StatefulRedisConnection<byte[], byte[]> connect() {
    return client.connect(ByteArrayCodec.INSTANCE);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    threads.stop();
    client.shutdown();
  }
}
