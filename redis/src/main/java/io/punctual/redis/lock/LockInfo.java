package io.punctual.redis.lock;

import java.time.Duration;
import java.util.List;

/**
 * A lock as it is on the server. Immutable.
 *
 * @param kind its kind
 * @param name its name
 * @param holders who holds it, up to 1000; nobody if it is only waited for
 * @param waiting how many stand in its line; of those who wait for a mutex in one client, on the
 *     usual terms, one does
 */
public record LockInfo(LockKind kind, String name, List<Holder> holders, long waiting) {
  /** Copies the list. */
  public LockInfo {
    holders = List.copyOf(holders);
  }

  /**
   * Who holds a lock.
   *
   * @param handle the id of its handle: client, number, mode and lease in milliseconds
   * @param fencingToken its token, or 0; if a mutex has passed on within a client since, that of
   *     the first who had it there, and the last token is up to 15 more
   * @param remaining what is left of its lease on the server, unless it is renewed
   */
  public record Holder(String handle, long fencingToken, Duration remaining) {}
}
