package io.punctual.migration.redisson;

/**
 * The action for due times without an entry in the list of a delayed queue. Redisson delivers them
 * when they are due, also after {@code retainAll} has dropped the entries.
 */
public enum Orphans {
  /** Imports them, as Redisson would deliver them. */
  IMPORT,
  /** Leaves them in Redisson. */
  SKIP
}
