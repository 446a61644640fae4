package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.RedisStaging;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A key with entries of the old queue, perhaps with a hash of their contents. Not thread-safe. */
abstract class EntryPlace {
  private static final byte[] NOTHING = {};
  private static final int SURVEY_STEP = 3;

  private final byte kind;
  private final Scripts scripts;
  private final RedisCalls redis;
  private final @Nullable RedisStaging staging;
  private final ImportKeys keys;
  private final String key;

  /** The scripts that read the key, move entries to the staging, and move them back. */
  record Scripts(Script survey, Script stage, Script back) {
    static Scripts of(String type) {
      return new Scripts(
          RedisCalls.plain(type + "_survey"),
          RedisCalls.owned(type + "_stage"),
          RedisCalls.owned(type + "_return"));
    }
  }

  /**
   * Creates a place.
   *
   * @param kind the {@linkplain RedisEntry#kind kind} of the entries
   * @param staging the staging, or null for a dry run
   */
  EntryPlace(
      byte kind,
      Scripts scripts,
      RedisCalls redis,
      @Nullable RedisStaging staging,
      ImportKeys keys,
      String key) {
    this.kind = kind;
    this.scripts = scripts;
    this.redis = redis;
    this.staging = staging;
    this.keys = keys;
    this.key = key;
  }

  /** Returns whether the place has entries of this {@linkplain RedisEntry#kind kind}. */
  final boolean has(byte wanted) {
    return kind == wanted;
  }

  /** Reads entries, and changes nothing. */
  final List<RedisEntry> survey(long offset, int max) {
    List<byte[]> argv = new ArrayList<>(RedisCalls.page(offset, max));
    argv.add(keys.memberPrefix().getBytes(UTF_8));
    List<@Nullable Object> reply = redis.run(scripts.survey, keys.with(key), argv);
    List<RedisEntry> entries = new ArrayList<>();
    for (int i = 0; i + 2 < reply.size(); i += SURVEY_STEP) {
      if (reply.get(i) instanceof byte[] member) {
        byte[] content = reply.get(i + 2) instanceof byte[] found ? found : null;
        entries.add(new RedisEntry(kind, RedisStaging.text(reply.get(i + 1)), member, content));
      }
    }
    return entries;
  }

  /**
   * Moves entries to the staging.
   *
   * @param dueMillis the due time of each entry, in the same order
   * @return the entries that were moved; an entry that has changed in the meantime is left out
   */
  abstract List<RedisStaging.Scored> stage(List<RedisEntry> entries, List<Long> dueMillis);

  /** Runs the script that moves entries to the staging. */
  final List<RedisStaging.Scored> stage(List<byte[]> argv) {
    return RedisStaging.scored(move(scripts.stage, argv));
  }

  /**
   * Moves staged entries back.
   *
   * @param tokens the staged entries
   */
  final void putBack(List<byte[]> tokens) {
    List<byte[]> argv = new ArrayList<>();
    for (byte[] token : tokens) {
      RedisEntry entry = RedisEntry.parse(token);
      byte[] content = entry.content();
      keys.requireContents(content != null);
      argv.add(token);
      argv.add(entry.member());
      argv.add(entry.label().getBytes(UTF_8));
      argv.add(content == null ? NOTHING : content);
    }
    List<@Nullable Object> unused = move(scripts.back, argv);
  }

  private List<@Nullable Object> move(Script script, List<byte[]> argv) {
    if (staging == null) {
      throw new IllegalStateException("A dry run changes nothing");
    }
    return staging.run(script, keys.withStaging(key), argv);
  }
}
