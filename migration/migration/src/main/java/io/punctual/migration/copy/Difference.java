package io.punctual.migration.copy;

/**
 * A message or a remembered id that is not equal in the source and in the target.
 *
 * @param id the message's id
 * @param what the difference, for the user
 */
public record Difference(String id, String what) {}
