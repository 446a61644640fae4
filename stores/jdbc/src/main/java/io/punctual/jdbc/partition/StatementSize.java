package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/**
 * Computes the size of contents in the text of a statement. Immutable, so safe for use by many
 * threads.
 */
final class StatementSize {
  /** The maximum number of bytes for a byte of content, because each byte can need an escape. */
  private static final long MOST_PER_BYTE = 2;

  /**
   * The number of bytes to reserve for the id, for the encoding of the content, and for the
   * inaccuracy of the computed size.
   */
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
        || escaped(ContentFormat.encode(content)) + FRAME_BYTES <= limit;
  }

  /**
   * Returns the outcome of an operation whose content is too large for a statement. The database
   * would close the connection that sends such a statement.
   */
  Outcome tooLarge(Operation operation) {
    return new Outcome.Full(
        "The message '"
            + operation.id()
            + "' needs a statement of more than "
            + limit
            + " bytes. Increase max_allowed_packet of the database, and open the store again");
  }

  /**
   * Returns the number of bytes of a content with escapes, as the drivers of MariaDB and MySQL send
   * it.
   */
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
