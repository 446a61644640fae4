package io.punctual.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The names of a lock's keys on the server. Locks are spread over 256 buckets by the CRC-32 of
 * their names. The locks of a bucket share a hash tag, so they share a slot of a Cluster. They also
 * share a counter of fencing tokens. Immutable.
 */
final class LockKeys {
  static final int BUCKETS = 256;

  private final String namespace;
  private final LockKind kind;
  private final String name;
  private final int bucket;
  private final String tag;
  private final byte[] counter;
  private final byte[] held;
  private final byte[] line;
  private final byte[] seen;
  private final byte[] tokens;
  private final byte[] added;

  LockKeys(String namespace, LockKind kind, String name) {
    this.namespace = namespace;
    this.kind = kind;
    this.name = name;
    this.bucket = bucketOf(name);
    this.tag = tag(namespace, bucket);
    this.counter = key("token");
    this.held = key(kind.key() + ":" + name);
    this.line = key(kind.key() + "-line:" + name);
    this.seen = key(kind.key() + "-seen:" + name);
    this.tokens = key(kind.key() + "-tokens:" + name);
    this.added = key(kind.key() + "-added:" + name);
  }

  private static int bucketOf(String name) {
    CRC32 crc = new CRC32();
    crc.update(name.getBytes(UTF_8));
    return (int) (crc.getValue() & (BUCKETS - 1));
  }

  /** Returns the prefix of the names of a bucket's keys. */
  static String tag(String namespace, int bucket) {
    return "{" + namespace + ":lock:" + bucket + "}:";
  }

  /**
   * Returns the prefix of the clients' channels; a client's id follows it. All locks use the same
   * channels, but on a Cluster with sharded channels each bucket has its own channels.
   */
  String channel(boolean sharded) {
    return sharded ? tag + "client:" : "{" + namespace + ":lock}:";
  }

  private byte[] key(String rest) {
    return (tag + rest).getBytes(UTF_8);
  }

  LockKind kind() {
    return kind;
  }

  String name() {
    return name;
  }

  int bucket() {
    return bucket;
  }

  byte[] counter() {
    return counter;
  }

  byte[] held() {
    return held;
  }

  /**
   * Returns the keys of this lock and of a handle, in the order in which the scripts expect them
   * after the counter of fencing tokens.
   */
  List<byte[]> forHandle(String handle) {
    List<byte[]> keys = new ArrayList<>(6);
    keys.add(held);
    keys.add(line);
    keys.add(seen);
    keys.add(key("gone:" + handle));
    if (kind.isShared()) {
      keys.add(tokens);
      keys.add(added);
    }
    return keys;
  }

  /** Returns the counter of fencing tokens, followed by the keys of this lock and of a handle. */
  List<byte[]> withCounter(String handle) {
    List<byte[]> keys = new ArrayList<>(7);
    keys.add(counter);
    keys.addAll(forHandle(handle));
    return keys;
  }
}
