package io.punctual.migration.redisson;

/**
 * The action for orphans, which are due times without an entry in the list of a delayed queue.
 * Redisson delivers orphans when they are due, also after {@code retainAll} has dropped their
 * entries.
 */
public enum Orphans {
  /** Imports orphans, because Redisson would deliver them, too. */
  IMPORT,
  /** Leaves orphans in Redisson. */
  SKIP
}
