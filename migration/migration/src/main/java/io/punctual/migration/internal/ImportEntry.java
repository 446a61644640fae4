package io.punctual.migration.internal;

import org.jspecify.annotations.Nullable;

/**
 * An entry at the source. Immutable; the arrays must not be changed.
 *
 * @param token the bytes by which the source finds the entry again
 * @param id the id of the message
 * @param dueMillis the due time in milliseconds since 1970
 * @param payload the payload as the old library stored it
 * @param problem why the entry cannot be imported, or null if it can
 */
public record ImportEntry(
    byte[] token, String id, long dueMillis, byte[] payload, @Nullable String problem) {}
