package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/** The bytes that contents take in the text of a statement. Immutable. */
final class StatementSize {
  /** Each byte can need an escape. */
  private static final long MOST_PER_BYTE = 2;

  /** The id, headers that are counted roughly, and the frame of the encoded content. */
  private static final long FRAME_BYTES = 4096;

  private final long limit;

  StatementSize(Dialect dialect) {
    limit = dialect.statementBytes();
  }

  /** Returns whether the database accepts the content of an operation. */
  boolean fits(Operation operation) {
    Content content = operation.content();
    if (limit == Long.MAX_VALUE || content == null) {
      return true;
    }
    return (content.approximateBytes() + FRAME_BYTES) * MOST_PER_BYTE <= limit
        || escaped(RowTable.encoded(operation)) + FRAME_BYTES <= limit;
  }

  /** The outcome of an operation whose content the database would refuse with the connection. */
  Outcome tooLarge(Operation operation) {
    return new Outcome.Full(
        "The message '"
            + operation.id()
            + "' needs a statement of more than "
            + limit
            + " bytes. Increase max_allowed_packet of the database, and open the store again");
  }

  /** Returns the bytes of a content as MariaDB and MySQL receive it. */
  static long escaped(byte[] content) {
    long bytes = content.length;
    for (byte one : content) {
      if (one == 0
          || one == '\''
          || one == '"'
          || one == '\\'
          || one == '\n'
          || one == '\r'
          || one == 0x1a) {
        bytes++;
      }
    }
    return bytes;
  }
}
