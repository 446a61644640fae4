package io.punctual.migration.redis;

import org.jspecify.annotations.Nullable;

/**
 * The result of reading an entry. Immutable; the array must not be changed.
 *
 * @param id the id of the message; for an entry that is not imported, a name for the report
 * @param payload the payload; empty for an entry that is not imported
 * @param problem why the entry cannot be imported, or null if it can
 * @param skipped if the entry is not meant to be imported, the name of the count in the report that
 *     includes it; otherwise null
 */
record Reading(String id, byte[] payload, @Nullable String problem, @Nullable String skipped) {
  private static final byte[] NOTHING = {};

  static Reading of(String id, byte[] payload) {
    return new Reading(id, payload, null, null);
  }

  static Reading problem(String name, String problem) {
    return new Reading(name, NOTHING, problem, null);
  }

  static Reading skipped(String name, String count) {
    return new Reading(name, NOTHING, null, count);
  }

  boolean isImportable() {
    return problem == null && skipped == null;
  }
}
