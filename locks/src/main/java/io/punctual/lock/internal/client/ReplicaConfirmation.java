package io.punctual.lock.internal.client;

import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Request;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether the replicas, or the disk, have stored a change of a lock, as the options require.
 */
public final class ReplicaConfirmation {
  private static final Pattern REPLICAS = Pattern.compile("connected_slaves:(\\d{1,3})\\b");

  private ReplicaConfirmation() {}

  /**
   * Completes with null if the change is confirmed; otherwise with a text that tells the user why
   * it is not. Never fails.
   */
  public static CompletableFuture<@Nullable String> confirm(
      LockClient client, ServerHandle handle, RedisReply answer) {
    LockKeys keys = handle.keys();
    LockOptions options = handle.options();
    if (!options.allReplicas()) {
      return answer.confirm(options.durability(), keys.counter());
    }
    return client
        .deployment()
        .durable(keys.counter())
        .send(Request.of(CommandType.INFO, "replication"))
        .handle((info, failure) -> failure == null ? count(info) : -1)
        .thenCompose(count -> confirm(keys, options, answer, count));
  }

  private static int count(RedisReply info) {
    Matcher replicas = REPLICAS.matcher(new LockReplyReader(info).text());
    return replicas.find() ? Integer.parseInt(replicas.group(1)) : -1;
  }

  private static CompletableFuture<@Nullable String> confirm(
      LockKeys keys, LockOptions options, RedisReply answer, int replicas) {
    if (replicas < 1) {
      return CompletableFuture.completedFuture(
          replicas == 0
              ? "no replica is connected"
              : "the server does not show how many replicas it has");
    }
    return answer.confirm(
        new Durability(options.durability().localDisk(), replicas), keys.counter());
  }
}
