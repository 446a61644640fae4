package io.punctual.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Request;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks up which processes hold locks. Not thread-safe. */
final class ClientCards {
  private final LockClient client;
  private final Map<String, CompletableFuture<Optional<LockInfo.Client>>> cards = new HashMap<>();

  ClientCards(LockClient client) {
    this.client = client;
  }

  /** Returns the same holders with their processes, where these are known. */
  List<LockInfo.Holder> named(List<LockInfo.Holder> holders) {
    // Sends the requests for all cards before waiting for the first reply.
    holders.forEach(this::card);
    return holders.stream()
        .map(
            holder ->
                new LockInfo.Holder(
                    holder.handle(),
                    holder.fencingToken(),
                    holder.remaining(),
                    card(holder).join()))
        .toList();
  }

  private CompletableFuture<Optional<LockInfo.Client>> card(LockInfo.Holder holder) {
    return cards.computeIfAbsent(id(holder), this::ask);
  }

  private static String id(LockInfo.Holder holder) {
    String handle = holder.handle();
    return handle.substring(0, Math.max(0, handle.indexOf(':')));
  }

  /**
   * Requests a client's {@link ClientCard}. If the card cannot be read, the result is empty, and
   * the lock is shown without its process.
   */
  private CompletableFuture<Optional<LockInfo.Client>> ask(String id) {
    String key = ClientCard.key(client, id);
    return client
        .deployment()
        .link(key.getBytes(UTF_8))
        .send(Request.of(CommandType.GET, key))
        .handle((answer, failure) -> failure == null ? read(answer) : Optional.empty());
  }

  private static Optional<LockInfo.Client> read(RedisReply answer) {
    return answer.values().get(0) instanceof byte[] bytes
        ? LockInfo.Client.parse(new String(bytes, UTF_8))
        : Optional.empty();
  }
}
