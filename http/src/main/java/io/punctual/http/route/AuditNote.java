package io.punctual.http.route;

import org.jspecify.annotations.Nullable;

/**
 * What a change concerns, where the path of its request does not say it. A handler writes it before
 * its answer is there.
 */
public final class AuditNote {
  private volatile @Nullable String detail;
  private volatile @Nullable String queue;
  private volatile @Nullable String id;

  AuditNote() {}

  /** Sets the queue that is changed. */
  public void queue(String name) {
    queue = name;
  }

  /** Sets the id of what is changed. */
  public void id(String changed) {
    id = changed;
  }

  /** Sets a word that tells changes of the same route apart. */
  public void detail(String word) {
    detail = word;
  }

  /** Returns the queue, or null. */
  public @Nullable String queue() {
    return queue;
  }

  /** Returns the id, or null. */
  public @Nullable String id() {
    return id;
  }

  /** Returns a word that tells changes of the same route apart, or null. */
  public @Nullable String detail() {
    return detail;
  }
}
