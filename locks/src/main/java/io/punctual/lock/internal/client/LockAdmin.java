package io.punctual.lock.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.lock.LockInfo;
import io.punctual.lock.LockKind;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Inspects locks, and releases them by force. Not thread-safe. */
public final class LockAdmin {
  private static final int HOLDERS = 1000;
  private static final String PAGE = "1000";

  private final LockClient client;
  private final Map<String, CompletableFuture<Optional<LockInfo.Client>>> cards = new HashMap<>();

  /** Creates an inspection, which requests the {@link ClientCard} of each client at most once. */
  public LockAdmin(LockClient client) {
    this.client = client;
  }

  /**
   * Returns held locks of a kind, up to a limit. Scans the keys on the servers until it has found
   * enough locks.
   */
  public List<LockInfo> list(LockKind kind, int limit) {
    Set<String> names = new LinkedHashSet<>();
    Set<ReconnectingConnection> servers = new LinkedHashSet<>();
    for (int bucket = 0; bucket < LockKeys.BUCKETS; bucket++) {
      servers.add(
          client.deployment().link(LockKeys.tag(client.namespace(), bucket).getBytes(UTF_8)));
    }
    servers.forEach(server -> walk(server, kind, limit, names));
    return names.stream().limit(limit).flatMap(name -> find(kind, name).stream()).toList();
  }

  private void walk(ReconnectingConnection server, LockKind kind, int limit, Set<String> names) {
    String pattern = "{" + client.namespace() + ":lock:*}:" + LockKeys.part(kind) + ":*";
    String cursor = "0";
    do {
      RedisReply page =
          join(server.send(Request.of(CommandType.SCAN, cursor, "MATCH", pattern, "COUNT", PAGE)));
      cursor = text(page.values().get(0));
      if (page.values().get(1) instanceof List<?> keys) {
        keys.forEach(key -> names.add(nameOf(text(key))));
      }
    } while (!cursor.equals("0") && names.size() < limit);
  }

  private static String nameOf(String key) {
    int kind = key.indexOf("}:") + 2;
    return key.substring(key.indexOf(':', kind) + 1);
  }

  private static String text(@Nullable Object value) {
    return value instanceof byte[] bytes ? new String(bytes, UTF_8) : "";
  }

  /** Returns a lock; empty if it has neither holders nor waiters. */
  public Optional<LockInfo> find(LockKind kind, String name) {
    LockKeys keys = client.keys(kind, name);
    LockInfo info = LockKeys.hasLine(kind) ? inspect(keys) : look(keys);
    return info.holders().isEmpty() && info.waiting() == 0 ? Optional.empty() : Optional.of(info);
  }

  private LockInfo inspect(LockKeys keys) {
    LockReplyReader reply =
        new LockReplyReader(
            join(
                client.run(
                    LockScripts.of(keys.kind()).inspect(),
                    keys.withCounter(""),
                    List.of(client.publishing(keys), LockRequests.bytes(HOLDERS)))));
    long waiting = reply.number();
    List<LockInfo.Holder> holders = new ArrayList<>();
    while (reply.hasNext()) {
      holders.add(
          new LockInfo.Holder(
              reply.text(), reply.number(), Duration.ofMillis(reply.number()), Optional.empty()));
    }
    return new LockInfo(keys.kind(), keys.name(), withClients(holders), waiting);
  }

  private LockInfo look(LockKeys keys) {
    String key = new String(keys.held(), UTF_8);
    Object holder = ask(Request.of(CommandType.GET, key), keys);
    Object left = ask(Request.of(CommandType.PTTL, key), keys);
    List<LockInfo.Holder> holders =
        holder instanceof byte[] && left instanceof Long millis && millis > 0
            ? List.of(
                new LockInfo.Holder(text(holder), 0, Duration.ofMillis(millis), Optional.empty()))
            : List.of();
    return new LockInfo(keys.kind(), keys.name(), withClients(holders), 0);
  }

  private @Nullable Object ask(Request request, LockKeys keys) {
    return join(client.deployment().link(keys.held()).send(request)).values().get(0);
  }

  /** Returns the same holders with their processes, where these are known. */
  private List<LockInfo.Holder> withClients(List<LockInfo.Holder> holders) {
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
    String handle = holder.handle();
    String id = handle.substring(0, Math.max(0, handle.indexOf(':')));
    return cards.computeIfAbsent(id, this::askCard);
  }

  /**
   * Requests a client's {@link ClientCard}. If the card cannot be read, the result is empty, and
   * the lock is shown without its process.
   */
  private CompletableFuture<Optional<LockInfo.Client>> askCard(String id) {
    String key = ClientCard.key(client, id);
    return client
        .deployment()
        .link(key.getBytes(UTF_8))
        .send(Request.of(CommandType.GET, key))
        .handle((answer, failure) -> failure == null ? readCard(answer) : Optional.empty());
  }

  private static Optional<LockInfo.Client> readCard(RedisReply answer) {
    return answer.values().get(0) instanceof byte[] bytes
        ? ClientCard.parse(new String(bytes, UTF_8))
        : Optional.empty();
  }

  /** Releases a lock by force; returns how many handles lost the lock, counted up to 1000. */
  public int force(LockKind kind, String name) {
    LockKeys keys = client.keys(kind, name);
    if (!LockKeys.hasLine(kind)) {
      return ask(Request.delete(new String(keys.held(), UTF_8)), keys) instanceof Long removed
          ? removed.intValue()
          : 0;
    }
    return join(client.run(
            LockScripts.of(kind).force(), keys.withCounter(""), List.of(client.publishing(keys))))
        .values()
        .size();
  }

  private RedisReply join(CompletableFuture<RedisReply> asked) {
    return LockFailures.join(client, asked, "The locks could not be inspected or released");
  }
}
