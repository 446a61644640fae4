package io.punctual.lock.internal.protocol;

import io.punctual.lock.LockKind;
import io.punctual.redis.client.request.Script;

/**
 * The scripts of locks. An instance has the scripts of exclusive locks, which a single handle
 * holds, or of shared locks, which several handles can hold. The constants are the scripts of
 * single operations, latches, quorum locks and others. The header of each Lua file documents the
 * script. Immutable.
 */
public final class LockScripts {
  private static final LockScripts EXCLUSIVE =
      new LockScripts(
          "exclusive",
          script("acquirefree", "bucket", "exclusive", "line", "acquire"),
          script("releaseunwanted", "bucket", "exclusive", "line", "release"));
  private static final LockScripts SHARED =
      new LockScripts(
          "shared",
          script("bucket", "shared", "line", "acquire"),
          script("bucket", "shared", "line", "release"));

  /** Turns a write lock into a read lock. */
  public static final Script DOWNGRADE = script("bucket", "shared", "line", "downgrade");

  /** Counts or changes the permits of a semaphore. */
  public static final Script PERMITS = script("bucket", "shared", "line", "permits");

  /** Releases a semaphore's handle by its id, from any client. */
  public static final Script RELEASE_BY_ID = script("bucket", "shared", "line", "releasebyid");

  /** Changes the count of a latch. */
  public static final Script LATCH = script("latch");

  /** Acquires a quorum lock on one server. */
  public static final Script QUORUM = script("quorum");

  /** Renews or extends a quorum lock on one server, or grants it again. */
  public static final Script QUORUM_RENEW = script("quorumrenew");

  /** Deletes a key that has the expected value. */
  public static final Script DELETE = script("delete");

  private final Script acquire;
  private final Script release;
  private final Script renew;
  private final Script keep;
  private final Script inspect;
  private final Script force;

  private LockScripts(String state, Script acquire, Script release) {
    this.acquire = acquire;
    this.release = release;
    renew = script("bucket", state, "renew");
    keep = script("bucket", state, "keep");
    inspect = script("bucket", state, "line", "inspect");
    force = script("bucket", state, "line", "force");
  }

  private static Script script(String... files) {
    return Script.of(HandOver.constants(), LockScripts.class::getResourceAsStream, files);
  }

  /** Returns the scripts for locks of this kind, which has a line of waiters. */
  public static LockScripts of(LockKind kind) {
    return LockKeys.isShared(kind) ? SHARED : EXCLUSIVE;
  }

  /** Acquires locks of the same batch. */
  public Script acquire() {
    return acquire;
  }

  /** Releases a lock, and grants it to the next waiter. */
  public Script release() {
    return release;
  }

  /** Renews or extends the leases of locks of the same batch. */
  public Script renew() {
    return renew;
  }

  /** Releases a lock that stays taken for some time. */
  public Script keep() {
    return keep;
  }

  /** Returns the holders and the number of waiters. */
  public Script inspect() {
    return inspect;
  }

  public Script force() {
    return force;
  }
}
