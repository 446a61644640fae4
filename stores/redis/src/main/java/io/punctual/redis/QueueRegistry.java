package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Failures;
import io.punctual.redis.client.RedisReply;
import io.punctual.redis.client.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The set of queues for listing. Thread-safe. */
final class QueueRegistry {
  private static final Logger log = LoggerFactory.getLogger(QueueRegistry.class);

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

  /** Removes a queue that was deleted. */
  CompletableFuture<RedisReply> remove(String queue) {
    return send(CommandType.SREM, queue);
  }

  /** Adds a queue. */
  CompletableFuture<RedisReply> add(String queue) {
    return send(CommandType.SADD, queue);
  }

  /**
   * Makes a change that creates a queue without a message, and lists the queue as far as the server
   * permits: a server without free memory refuses that, but not every change. The queue is listed
   * before the change, because the client may crash in between, and after the change, because a
   * deletion may remove the queue from the list in between.
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
