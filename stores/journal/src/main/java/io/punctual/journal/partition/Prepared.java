package io.punctual.journal.partition;

import io.punctual.journal.format.Id;
import io.punctual.spi.Call;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import java.util.List;

/**
 * An operation, prepared on its caller's thread.
 *
 * @param content the bytes of a scheduled message; empty for all other operations
 */
record Prepared(Operation operation, Id id, byte[] content) {
  private static final byte[] NOTHING = {};

  static List<Prepared> all(Call.Apply apply, long hashSeed) {
    return apply.operations().stream().map(operation -> of(operation, hashSeed)).toList();
  }

  private static Prepared of(Operation operation, long hashSeed) {
    byte[] content =
        operation instanceof Operation.Schedule schedule
            ? ContentFormat.encode(schedule.content())
            : NOTHING;
    return new Prepared(operation, Id.of(operation.id(), hashSeed), content);
  }
}
