package io.punctual.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Durability;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reply, and the connection that it came over. Thread-safe.
 *
 * @param values the elements of the reply: byte[], Long or null
 */
public record RedisReply(List<@Nullable Object> values, Connection wire) {
  /**
   * Asks whether the changes made over this connection so far are as durable as requested. The
   * script must have run on a {@linkplain Deployment#durable durable} connection.
   *
   * @param key a key that the script of this answer wrote
   * @return null once the durability is reached, or the reason why it is not certain, for the user;
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
