package io.punctual.journal.partition;

import io.punctual.journal.format.Id;
import io.punctual.spi.Call;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import java.util.List;

/**
 * An operation with all that can be worked out for it on its caller's thread.
 *
 * @param content the bytes of what is scheduled; empty for anything but a schedule
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
