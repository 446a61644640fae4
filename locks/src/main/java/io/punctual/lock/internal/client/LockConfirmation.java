package io.punctual.lock.internal.client;

import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.request.Request;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether the replicas, or the disk, have stored the grants or renewals of locks, as the
 * options require. No call waits behind this question, since it has a connection of its own. A
 * confirmation proves that the handles hold their locks on the server that confirms, so it is
 * certain as well when a replica has taken over since the grant.
 */
public final class LockConfirmation {
  private static final Pattern REPLICAS = Pattern.compile("connected_slaves:(\\d{1,3})\\b");

  private LockConfirmation() {}

  /**
   * Completes with null if the grant is confirmed; otherwise with a text that tells the user why it
   * is not. Never fails.
   *
   * @param handle the handle, with the lease on which the client relies, from now
   * @param token the fencing token
   */
  public static CompletableFuture<@Nullable String> confirm(
      LockClient client, ServerHandle handle, long token) {
    return confirm(client, List.of(handle), List.of(token)).thenApply(reasons -> reasons.get(0));
  }

  /**
   * Like {@link #confirm(LockClient, ServerHandle, long)}, for locks of the same batch whose
   * options require the same durability.
   */
  public static CompletableFuture<List<@Nullable String>> confirm(
      LockClient client, List<ServerHandle> handles, List<Long> tokens) {
    LockOptions options = handles.get(0).options();
    Witness witness = LockRequests.witness(handles, tokens);
    if (!options.allReplicas()) {
      return confirm(client, options.durability(), witness);
    }
    return client
        .deployment()
        .link(witness.keys().get(0))
        .send(Request.of(CommandType.INFO, "replication"))
        .handle((info, failure) -> failure == null ? count(info) : -1)
        .thenCompose(count -> confirmByAll(client, options.durability(), witness, count));
  }

  private static CompletableFuture<List<@Nullable String>> confirm(
      LockClient client, Durability durability, Witness witness) {
    client.events().scriptSent();
    return client.deployment().confirm(durability, witness);
  }

  private static int count(RedisReply info) {
    Matcher replicas = REPLICAS.matcher(new LockReplyReader(info).text());
    return replicas.find() ? Integer.parseInt(replicas.group(1)) : -1;
  }

  private static CompletableFuture<List<@Nullable String>> confirmByAll(
      LockClient client, Durability durability, Witness witness, int replicas) {
    if (replicas < 1) {
      String why =
          replicas == 0
              ? "no replica is connected"
              : "the server does not show how many replicas it has";
      return CompletableFuture.completedFuture(Collections.nCopies(witness.proof().size(), why));
    }
    return confirm(client, new Durability(durability.localDisk(), replicas), witness);
  }
}
