package io.punctual.journal.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.journal.format.Id;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import java.util.List;

/**
 * An operation with its encoded id and content. The calling thread encodes them. The time of
 * creation in the content of a new message is the time of the encoding.
 *
 * @param content the bytes of the content that the operation stores; empty if it stores none
 */
record Prepared(Operation operation, Id id, byte[] content) {
  private static final byte[] NOTHING = {};

  static List<Prepared> all(Call.Apply apply, long hashSeed, EngineTime now) {
    return apply.operations().stream()
        .map(operation -> of(operation, hashSeed, now.millis()))
        .toList();
  }

  /**
   * Returns the same operation with no bytes of content. The content of a message has at least one
   * byte, so no reader mistakes the record for a message with an empty payload.
   */
  Prepared withoutContent() {
    return new Prepared(operation, id, NOTHING);
  }

  private static Prepared of(Operation operation, long hashSeed, long nowMillis) {
    Content content = operation.content();
    byte[] bytes = NOTHING;
    if (content != null) {
      boolean isRestored = operation instanceof Operation.Restore;
      bytes = ContentFormat.encode(isRestored ? content : content.created(nowMillis));
    }
    return new Prepared(operation, Id.of(operation.id(), hashSeed), bytes);
  }
}
