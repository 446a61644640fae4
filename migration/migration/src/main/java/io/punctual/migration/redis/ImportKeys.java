package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.PunctualException;
import io.punctual.migration.internal.RedisStaging;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an old queue, and of its import. Immutable.
 *
 * @param name the key by which the import is known; the keys of the staging are derived from it, in
 *     the same slot of a Cluster
 * @param set the sorted set of entries, or null if there is none
 * @param list the list of due elements, or null if there is none
 * @param contents the hash of contents, or null if there is none
 * @param memberPrefix the beginning of the members of the set that the import reads, perhaps after
 *     a quotation mark; empty for all members. The contents of other members are not read
 */
record ImportKeys(
    String name,
    @Nullable String set,
    @Nullable String list,
    @Nullable String contents,
    String memberPrefix) {
  String staged() {
    return derived("punctual_zset_import");
  }

  RedisStaging.Keys staging() {
    return new RedisStaging.Keys(
        derived("punctual_zset_import_owner").getBytes(UTF_8),
        staged().getBytes(UTF_8),
        derived("punctual_zset_import_marked").getBytes(UTF_8),
        derived("punctual_zset_import_target").getBytes(UTF_8));
  }

  private String derived(String prefix) {
    return prefix + (hasTag() ? ":" + name : ":{" + name + "}");
  }

  private boolean hasTag() {
    int open = name.indexOf('{');
    return open >= 0 && name.indexOf('}', open) > open + 1;
  }

  /** Returns the key, followed by the key of the hash of contents if the import has such a hash. */
  List<byte[]> with(String key) {
    return bytes(key, null);
  }

  /** Like {@link #with}, with the key of the staging in second place. */
  List<byte[]> withStaging(String key) {
    return bytes(key, staged());
  }

  private List<byte[]> bytes(String key, @Nullable String second) {
    List<byte[]> keys = new ArrayList<>(List.of(key.getBytes(UTF_8)));
    Optional.ofNullable(second).ifPresent(more -> keys.add(more.getBytes(UTF_8)));
    Optional.ofNullable(contents).ifPresent(more -> keys.add(more.getBytes(UTF_8)));
    return keys;
  }

  /**
   * Checks that a staged entry can be put back.
   *
   * @param staged whether the entry has a content from a hash
   * @throws PunctualException if the unfinished run named a hash and this import does not, or the
   *     reverse
   */
  void requireContents(boolean staged) {
    if (staged != (contents != null)) {
      throw new PunctualException(
          staged
              ? "The staging has payloads of a hash; name the hash, as the unfinished run did"
              : "The staging has no payloads of a hash; name none, as the unfinished run did");
    }
  }

  /** Returns the keys that must share a slot; the other staging keys share it by their names. */
  List<String> all() {
    return Stream.of(staged(), set, list, contents).filter(Objects::nonNull).toList();
  }
}
