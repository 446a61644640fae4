package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/** Checks the ids of rows. */
final class RowIds {
  private static final int LARGEST = 256;

  private RowIds() {}

  /** Returns why a message cannot have this id, or null if it can. */
  static @Nullable String problem(String id) {
    int length = id.getBytes(UTF_8).length;
    return length >= 1 && length <= LARGEST
        ? null
        : "Its id has " + length + " bytes; ids have 1 to " + LARGEST;
  }
}
