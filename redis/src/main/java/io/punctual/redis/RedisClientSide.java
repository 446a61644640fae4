package io.punctual.redis;

import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What a store's lanes share: connections, hints and settings. Thread-safe. */
final class RedisClientSide {
  private final RedisSettings settings;
  private final Link main;
  private final Link durable;
  private final Hints hints;
  private final Set<String> announced = ConcurrentHashMap.newKeySet();

  RedisClientSide(RedisSettings settings, Link main, Link durable, Hints hints) {
    this.settings = settings;
    this.main = main;
    this.durable = durable;
    this.hints = hints;
  }

  RedisSettings settings() {
    return settings;
  }

  Link main() {
    return main;
  }

  Hints hints() {
    return hints;
  }

  /** The connection for calls of this durability, or of the store's own. */
  Link linkOf(@Nullable Durability asked) {
    return effective(asked).equals(Durability.NONE) ? main : durable;
  }

  private Durability effective(@Nullable Durability asked) {
    return asked == null ? settings.durability() : asked;
  }

  /** Completes once the changes have travelled as far as asked, or won't in time. */
  CompletionStage<Reply> confirm(Reply reply, Call.Apply apply, Wire wire) {
    Durability durability = effective(apply.durability());
    if (durability.equals(Durability.NONE)
        || !(reply instanceof Reply.Applied applied)
        || apply.operations().isEmpty()) {
      return CompletableFuture.completedStage(reply);
    }
    return wire.confirmation()
        .ask(durability)
        .thenApply(why -> new Reply.Applied(applied.outcomes(), applied.engineMicros(), why));
  }

  /** Adds the queue to those that are listed; tried again with the next message if it fails. */
  void announce(String queue) {
    if (announced.add(queue)) {
      main.send(Request.of(CommandType.SADD, LaneKeys.queues(settings.namespace()), queue))
          .whenComplete(
              (reply, failure) -> {
                if (failure != null) {
                  announced.remove(queue);
                }
              });
    }
  }

  void close() {
    hints.close();
    main.close();
    durable.close();
  }
}
