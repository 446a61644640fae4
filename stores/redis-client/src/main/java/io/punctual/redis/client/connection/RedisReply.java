package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Durability;
import io.punctual.redis.client.request.Failures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reply, and the connection over which it arrived. Thread-safe.
 *
 * @param values the elements of the reply: byte[], Long, null, or a list of these
 * @param wire the connection
 */
public record RedisReply(List<@Nullable Object> values, Connection wire) {
  /**
   * Asks whether all changes over this connection so far are durable. The script must have run over
   * a {@linkplain ServerConnections#durable durable} connection.
   *
   * @param key a key that the script of this reply wrote
   * @return null once the changes are durable, or the reason why that is not certain, for the user;
   *     never fails
   */
  public CompletableFuture<@Nullable String> confirm(Durability durability, byte[] key) {
    return durability.equals(Durability.NONE)
        ? CompletableFuture.completedFuture(null)
        : wire.confirmation()
            .ask(durability, new String(key, UTF_8))
            .exceptionally(Failures::unconfirmed);
  }
}
