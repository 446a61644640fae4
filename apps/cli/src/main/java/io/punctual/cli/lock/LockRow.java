package io.punctual.cli.lock;

import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.Fields;
import io.punctual.lock.LockInfo;
import io.punctual.lock.LockKind;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/**
 * A holder of a lock, or a lock that has waiters only.
 *
 * @param lock the lock
 * @param holder the holder, or empty if the lock has waiters only
 */
record LockRow(LockInfo lock, Optional<LockInfo.Holder> holder) {
  static final Fields<LockRow> FIELDS =
      new Fields<LockRow>()
          .text("kind", row -> EnumNames.hyphenated(row.lock.kind()))
          .text("name", row -> row.lock.name())
          .cell("holder", row -> row.holder.map(LockRow::holderOf).orElse(""))
          .cell("token", row -> row.holder.map(LockRow::tokenOf).orElse(""))
          .cell(
              "remaining",
              row -> row.holder.map(one -> one.remaining().toMillis() + "ms").orElse(""))
          .json((json, row) -> row.holder.ifPresent(one -> write(json, one)))
          .cell("waiting", row -> Long.toString(row.lock.waiting()))
          .json("waiting", row -> row.lock.waiting());

  static Stream<LockRow> of(LockInfo lock) {
    return lock.holders().isEmpty()
        ? Stream.of(new LockRow(lock, Optional.empty()))
        : lock.holders().stream().map(holder -> new LockRow(lock, Optional.of(holder)));
  }

  static final class Kinds extends EnumNames.Hyphenated<LockKind> {
    Kinds() {
      super("a kind of lock", LockKind.values());
    }
  }

  /**
   * Returns the client that holds the lock. If the server has no record of this client, for example
   * after a crash, returns the id of the lock handle.
   */
  private static String holderOf(LockInfo.Holder holder) {
    return holder.client().map(LockInfo.Client::toString).orElse(holder.handle());
  }

  private static String tokenOf(LockInfo.Holder holder) {
    return holder.fencingToken() > 0 ? String.valueOf(holder.fencingToken()) : "";
  }

  private static void write(JsonGenerator json, LockInfo.Holder one) {
    json.writeStringProperty("holder", one.handle());
    one.client()
        .ifPresent(
            client -> {
              json.writeStringProperty("host", client.host());
              json.writeNumberProperty("pid", client.pid());
              json.writeStringProperty("client", client.name());
            });
    if (one.fencingToken() > 0) {
      json.writeNumberProperty("fencingToken", one.fencingToken());
    }
    json.writeNumberProperty("remainingMillis", one.remaining().toMillis());
  }
}
