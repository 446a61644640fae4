package io.punctual.lock.internal.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.lock.LockKind;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The names of a lock's keys on the server. Locks are spread over 256 buckets by the CRC-32 of
 * their names. The locks of a bucket share a hash tag, so they share a slot of a Cluster. They also
 * share a counter of fencing tokens. Immutable.
 */
public final class LockKeys {
  public static final int BUCKETS = 256;

  private static final int NAME_BYTES = 256;

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

  public LockKeys(String namespace, LockKind kind, String name) {
    this.namespace = namespace;
    this.kind = kind;
    this.name = name;
    this.bucket = bucketOf(name);
    this.tag = tag(namespace, bucket);
    this.counter = key("token");
    String part = part(kind);
    this.held = key(part + ":" + name);
    this.line = key(part + "-line:" + name);
    this.seen = key(part + "-seen:" + name);
    this.tokens = key(part + "-tokens:" + name);
    this.added = key(part + "-added:" + name);
  }

  /**
   * Returns the name of a lock if it is valid.
   *
   * @throws IllegalArgumentException if the name is not 1 to 256 bytes of UTF-8, or has control
   *     characters
   */
  public static String checkName(String name) {
    int bytes = length(name);
    if (bytes < 1 || bytes > NAME_BYTES || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A lock's name has 1 to "
              + NAME_BYTES
              + " bytes of UTF-8 and no control characters; this name has "
              + bytes
              + " bytes");
    }
    return name;
  }

  private static int length(String name) {
    try {
      return UTF_8.newEncoder().encode(CharBuffer.wrap(name)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("A lock's name has a lone surrogate; it is not text", e);
    }
  }

  /** Returns the part of a key's name that follows the hash tag, and names the kind. */
  public static String part(LockKind kind) {
    return switch (kind) {
      case MUTEX -> "mutex";
      case READ_WRITE -> "readwrite";
      case SEMAPHORE -> "semaphore";
      case QUORUM -> "quorum";
    };
  }

  /** Returns whether locks of this kind have a line of waiters on the server. */
  public static boolean hasLine(LockKind kind) {
    return kind == LockKind.MUTEX || isShared(kind);
  }

  /** Returns whether several handles can hold a lock of this kind at the same time. */
  static boolean isShared(LockKind kind) {
    return kind == LockKind.READ_WRITE || kind == LockKind.SEMAPHORE;
  }

  private static int bucketOf(String name) {
    CRC32 crc = new CRC32();
    crc.update(name.getBytes(UTF_8));
    return (int) (crc.getValue() & (BUCKETS - 1));
  }

  /** Returns the prefix of the names of a bucket's keys. */
  public static String tag(String namespace, int bucket) {
    return "{" + namespace + ":lock:" + bucket + "}:";
  }

  /**
   * Returns the prefix of the clients' channels; a client's id follows it. All locks use the same
   * channels, but on a Cluster with sharded channels each bucket has its own channels.
   */
  public String channel(boolean sharded) {
    return sharded ? tag + "client:" : "{" + namespace + ":lock}:";
  }

  private byte[] key(String rest) {
    return (tag + rest).getBytes(UTF_8);
  }

  public LockKind kind() {
    return kind;
  }

  public String name() {
    return name;
  }

  /** Returns whether several handles can hold the lock at the same time. */
  public boolean isShared() {
    return isShared(kind);
  }

  /** Returns the number of the lock's bucket. */
  public int bucket() {
    return bucket;
  }

  /** Returns the key of the bucket's counter of fencing tokens. */
  public byte[] counter() {
    return counter;
  }

  public byte[] held() {
    return held;
  }

  /**
   * Returns the keys of this lock and of a handle, in the order in which the scripts expect them
   * after the counter of fencing tokens.
   */
  public List<byte[]> forHandle(String handle) {
    List<byte[]> keys = new ArrayList<>(6);
    keys.add(held);
    keys.add(line);
    keys.add(seen);
    keys.add(key("gone:" + handle));
    if (isShared()) {
      keys.add(tokens);
      keys.add(added);
    }
    return keys;
  }

  /** Returns the counter of fencing tokens, followed by the keys of this lock and of a handle. */
  public List<byte[]> withCounter(String handle) {
    List<byte[]> keys = new ArrayList<>(7);
    keys.add(counter);
    keys.addAll(forHandle(handle));
    return keys;
  }
}
