package io.punctual.lock.internal.kind;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Request;
import java.util.concurrent.CompletableFuture;

/**
 * The state of a latch on the server; see latch.lua. Immutable.
 *
 * @param cycle differs each time that the latch is set; empty if the count is zero
 */
public record LatchState(long count, String cycle) {
  private static final LatchState OPEN = new LatchState(0, "");

  /** Requests a latch's state. */
  public static CompletableFuture<LatchState> ask(LockClient client, String key) {
    return client
        .deployment()
        .link(key.getBytes(UTF_8))
        .send(Request.of(CommandType.GET, key))
        .thenApply(LatchState::read);
  }

  private static LatchState read(RedisReply answer) {
    if (answer.values().get(0) == null) {
      return OPEN;
    }
    String stored = new LockReplyReader(answer).text();
    int space = stored.indexOf(' ');
    return new LatchState(Long.parseLong(stored.substring(0, space)), stored.substring(space + 1));
  }
}
