package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** The set of queues for listing. Thread-safe. */
final class QueueRegistry {
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
  CompletableFuture<Answer> remove(String queue) {
    return send(CommandType.SREM, queue);
  }

  /** Adds a queue. */
  CompletableFuture<Answer> add(String queue) {
    return send(CommandType.SADD, queue);
  }

  private CompletableFuture<Answer> send(CommandType command, String queue) {
    return deployment
        .link(key.getBytes(UTF_8))
        .send(Request.of(command, key, queue))
        .exceptionallyCompose(SpiFailures::failed);
  }
}
