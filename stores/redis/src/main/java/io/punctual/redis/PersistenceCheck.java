package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.ServerInfo;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Request;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;

/**
 * Warns once, after the store has been opened, if the messages of a server would not survive its
 * end: it has no append-only file, and no replica takes over. In a Cluster, a single node is asked.
 * Does not warn if the user has accepted losses by {@code allowEviction}, or if changes wait for
 * replicas, and not behind a proxy, which does not pass the question.
 */
final class PersistenceCheck {
  private static final Logger log = Logs.of(PersistenceCheck.class);

  private final Deployment deployment;

  PersistenceCheck(Deployment deployment) {
    this.deployment = deployment;
  }

  /** Asks the server, and does not wait for its reply. */
  void begin() {
    RedisSettings settings = deployment.settings();
    if (settings.proxy() || settings.allowEviction() || settings.durability().replicas() > 0) {
      return;
    }
    info("persistence")
        .thenCombine(info("replication"), this::isVolatile)
        .whenComplete(
            (isVolatile, failure) -> {
              if (failure != null) {
                log.debug("Could not ask whether the server writes its data to a disk", failure);
              } else if (isVolatile) {
                warn();
              }
            });
  }

  private boolean isVolatile(String persistence, String replication) {
    boolean hasSuccessor =
        deployment.hasFailOver() && !ServerInfo.field(replication, "connected_slaves").equals("0");
    return ServerInfo.field(persistence, "aof_enabled").equals("0") && !hasSuccessor;
  }

  private void warn() {
    log.warn(
        "{} has no append-only file ('appendonly no'): if its process is killed or crashes, all"
            + " messages since its last snapshot are lost. Set 'appendonly yes' on the server; see"
            + " 'Durability' in the documentation of the Redis store",
        deployment.describe());
  }

  private CompletableFuture<String> info(String section) {
    byte[] key = PartitionKeys.queues(deployment.settings().namespace()).getBytes(UTF_8);
    return deployment
        .link(key)
        .send(Request.of(CommandType.INFO, section))
        .thenApply(PersistenceCheck::text);
  }

  private static String text(RedisReply answer) {
    return new String((byte[]) Objects.requireNonNull(answer.values().get(0)), UTF_8);
  }
}
