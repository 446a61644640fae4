package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Maintains the set with the names of the queues on the server. Also holds the name of this client.
 * Thread-safe.
 */
final class QueueRegistry {
  private static final Logger log = Logs.of(QueueRegistry.class);

  private final Deployment deployment;
  private final String key;
  private final String client = Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36);

  QueueRegistry(Deployment deployment) {
    this.deployment = deployment;
    this.key = PartitionKeys.queues(deployment.settings().namespace());
  }

  /** Returns the name of this client, unique among all clients of the server. */
  String client() {
    return client;
  }

  CompletableFuture<RedisReply> remove(String queue) {
    return send(CommandType.SREM, queue);
  }

  CompletableFuture<RedisReply> add(String queue) {
    return send(CommandType.SADD, queue);
  }

  /**
   * Makes a change that creates a queue without a message, and adds the queue's name to the set
   * before and after the change: before, because the client may crash after the change; after,
   * because a deletion may have removed the name meanwhile. If the server refuses to add the name,
   * for example because its memory is full, the change is made nevertheless.
   */
  <T extends @Nullable Object> CompletableFuture<T> addAround(
      String queue, Supplier<CompletableFuture<T>> change) {
    return add(queue)
        .handle((added, failure) -> change.get())
        .thenCompose(changing -> changing)
        .thenCompose(done -> add(queue).handle((added, failure) -> listed(queue, failure, done)));
  }

  private static <T extends @Nullable Object> T listed(
      String queue, @Nullable Throwable failure, T done) {
    if (failure != null) {
      log.warn(
          "Queue '{}' may be missing from the list of queues until its next message: {}",
          queue,
          Failures.unwrap(failure).getMessage());
    }
    return done;
  }

  private CompletableFuture<RedisReply> send(CommandType command, String queue) {
    return deployment
        .link(key.getBytes(UTF_8))
        .send(Request.of(command, key, queue))
        .exceptionallyCompose(SpiFailures::failed);
  }
}
