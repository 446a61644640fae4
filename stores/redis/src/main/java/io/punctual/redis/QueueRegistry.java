package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Request;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Adds each queue once to the set of queues for listing. Thread-safe. */
final class QueueRegistry {
  private final Deployment deployment;
  private final String key;
  private final String client = Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, 36);
  private final Set<String> announced = ConcurrentHashMap.newKeySet();

  QueueRegistry(Deployment deployment) {
    this.deployment = deployment;
    this.key = PartitionKeys.queues(deployment.settings().namespace());
  }

  /** Returns the name of this client, unique among all clients of the server. */
  String client() {
    return client;
  }

  /** Forgets that a queue was added: the server may have lost the set with the rest of its data. */
  void forget(String queue) {
    announced.remove(queue);
  }

  /** Removes a queue that was deleted. */
  CompletableFuture<Answer> remove(String queue) {
    announced.remove(queue);
    return send(CommandType.SREM, queue);
  }

  /** Adds a queue in any case. */
  CompletableFuture<Answer> add(String queue) {
    return send(CommandType.SADD, queue);
  }

  private CompletableFuture<Answer> send(CommandType command, String queue) {
    return deployment
        .link(key.getBytes(UTF_8))
        .send(Request.of(command, key, queue))
        .exceptionallyCompose(SpiFailures::failed);
  }

  /** Adds a queue; tried again with the next message if it fails. */
  void announce(String queue) {
    if (announced.add(queue)) {
      add(queue)
          .whenComplete(
              (reply, failure) -> {
                if (failure != null) {
                  announced.remove(queue);
                }
              });
    }
  }
}
