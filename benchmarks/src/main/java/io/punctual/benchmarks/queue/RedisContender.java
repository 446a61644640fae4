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
  final RepeatingThreads threads = new RepeatingThreads();

  RedisContender(String url) {
    client = RedisClient.create(url);
    connection = connect();
  }

  /**
   * Sends the commands that schedule the message; the future completes when the message is stored.
   */
  abstract RedisFuture<?> send(BenchMessage message, byte[] payload);

  @Override
  public final Object schedule(BenchMessage message) throws Exception {
    byte[] payload = message.payload();
    Object unused = send(message, payload).get();
    return payload;
  }

  @Override
  public final CompletionStage<?> scheduleAsync(BenchMessage message) {
    return send(message, message.payload());
  }

  @Override
  public final List<?> scheduleAll(List<BenchMessage> messages) {
    List<byte[]> payloads = new ArrayList<>();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (BenchMessage message : messages) {
      byte[] payload = message.payload();
      payloads.add(payload);
      answers.add(send(message, payload).toCompletableFuture());
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
