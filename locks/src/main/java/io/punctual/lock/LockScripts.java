package io.punctual.lock;

import io.punctual.redis.client.request.Script;
import java.util.List;

/**
 * The scripts of locks. An instance has the scripts of the locks that a single handle holds
 * (exclusive), or of those that several handles can hold (shared). The constants are the scripts of
 * single operations, latches, quorum locks and others. The header of each Lua file documents the
 * script. Immutable.
 */
final class LockScripts {
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

  static final Script DOWNGRADE = script("bucket", "shared", "line", "downgrade");
  static final Script PERMITS = script("bucket", "shared", "line", "permits");
  static final Script RELEASE_BY_ID = script("bucket", "shared", "line", "releasebyid");
  static final Script LATCH = script("latch");
  static final Script QUORUM = script("quorum");
  static final Script QUORUM_RENEW = script("quorumrenew");
  static final Script DELETE = script("delete");

  /**
   * The scripts that each new connection loads before calls need them. The other scripts are loaded
   * at their first use.
   */
  static final List<Script> LOADED_AHEAD =
      List.of(
          EXCLUSIVE.acquire,
          EXCLUSIVE.release,
          EXCLUSIVE.renew,
          SHARED.acquire,
          SHARED.release,
          SHARED.renew,
          QUORUM,
          QUORUM_RENEW,
          DELETE);

  private final Script acquire;
  private final Script release;
  private final Script renew;
  private final Script extend;
  private final Script keep;
  private final Script inspect;
  private final Script force;

  private LockScripts(String state, Script acquire, Script release) {
    this.acquire = acquire;
    this.release = release;
    renew = script("bucket", state, "renew");
    extend = script("bucket", state, "extend");
    keep = script("bucket", state, "keep");
    inspect = script("bucket", state, "line", "inspect");
    force = script("bucket", state, "line", "force");
  }

  private static Script script(String... files) {
    return Script.of(HandOver.constants(), LockScripts.class::getResourceAsStream, files);
  }

  static LockScripts of(LockKind kind) {
    return LockKeys.isShared(kind) ? SHARED : EXCLUSIVE;
  }

  Script acquire() {
    return acquire;
  }

  Script release() {
    return release;
  }

  Script renew() {
    return renew;
  }

  Script extend() {
    return extend;
  }

  Script keep() {
    return keep;
  }

  Script inspect() {
    return inspect;
  }

  Script force() {
    return force;
  }
}
