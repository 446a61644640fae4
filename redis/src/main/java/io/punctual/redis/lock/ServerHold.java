package io.punctual.redis.lock;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** A lock on one server that was acquired. Thread-safe. */
final class ServerHold extends Hold {
  private final Place place;
  private final String handle;
  private final BooleanSupplier refuse;

  /** Creates one; {@code refuse} tells whether a question of its attempt may still be under way. */
  ServerHold(
      LockClient client,
      Place place,
      Terms terms,
      String handle,
      long token,
      long untilNanos,
      BooleanSupplier refuse) {
    super(client, place.kind(), place.name(), terms, token, untilNanos);
    this.place = place;
    this.handle = handle;
    this.refuse = refuse;
  }

  Place place() {
    return place;
  }

  String handle() {
    return handle;
  }

  @Override
  void renew() {
    client().watchdog().gather(this);
  }

  @Override
  CompletableFuture<ReleaseOutcome> farewell() {
    return Farewell.say(client(), place, terms(), handle, refuse.getAsBoolean());
  }
}
