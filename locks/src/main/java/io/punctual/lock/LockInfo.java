package io.punctual.lock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A lock as the server knows it. Immutable.
 *
 * @param kind the lock's kind
 * @param name the lock's name
 * @param holders the lock's holders, up to 1000; empty if the lock only has waiters
 * @param waiting the number of waiting handles; a client that waits for a mutex with the default
 *     options counts once
 */
public record LockInfo(LockKind kind, String name, List<Holder> holders, long waiting) {
  /** Copies the list. */
  public LockInfo {
    holders = List.copyOf(holders);
  }

  /**
   * The holder of a lock.
   *
   * @param handle the id of the holder's handle: client, number, mode and lease in milliseconds
   * @param fencingToken the holder's fencing token; 0 for kinds without tokens. If a mutex has
   *     passed from holder to holder within a client, this is the token of the first of these
   *     holders; the token of the current holder is up to 15 higher
   * @param remaining the rest of the holder's lease on the server, without further renewals
   * @param client the holder's process; empty if unknown
   */
  public record Holder(
      String handle, long fencingToken, Duration remaining, Optional<Client> client) {}

  /**
   * A process that holds locks.
   *
   * @param host the name of the machine
   * @param pid the id of the process on that machine
   * @param name the name that {@link RedisLocksBuilder#name} set; empty if none was set
   */
  public record Client(String host, long pid, String name) {
    /** Returns a text such as {@code 4242@host name}. */
    @Override
    public String toString() {
      return pid + "@" + host + (name.isEmpty() ? "" : " " + name);
    }
  }
}
