package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.RedisStaging;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sorted set of entries, perhaps with a hash of their contents. Not thread-safe. */
final class SortedSetPlace implements EntryPlace {
  private static final Script SURVEY = RedisCalls.plain("zset_survey");
  private static final Script STAGE = RedisCalls.owned("zset_stage");
  private static final Script RETURN = RedisCalls.owned("zset_return");
  private static final byte[] NOTHING = {};
  private static final int SURVEY_STEP = 3;

  private final RedisCalls redis;
  private final @Nullable RedisStaging staging;
  private final ImportKeys keys;
  private final String set;

  SortedSetPlace(RedisCalls redis, @Nullable RedisStaging staging, ImportKeys keys, String set) {
    this.redis = redis;
    this.staging = staging;
    this.keys = keys;
    this.set = set;
  }

  @Override
  public boolean has(byte kind) {
    return kind == RedisEntry.SORTED;
  }

  @Override
  public List<RedisEntry> survey(long offset, int max) {
    List<byte[]> argv = new ArrayList<>(RedisCalls.page(offset, max));
    argv.add(keys.memberPrefix().getBytes(UTF_8));
    List<@Nullable Object> reply = redis.run(SURVEY, keys.with(set), argv);
    List<RedisEntry> entries = new ArrayList<>();
    for (int i = 0; i + 2 < reply.size(); i += SURVEY_STEP) {
      if (reply.get(i) instanceof byte[] member) {
        byte[] content = reply.get(i + 2) instanceof byte[] found ? found : null;
        String score = RedisStaging.text(reply.get(i + 1));
        entries.add(new RedisEntry(RedisEntry.SORTED, score, member, content));
      }
    }
    return entries;
  }

  @Override
  public List<RedisStaging.Scored> stage(List<RedisEntry> entries, List<Long> dueMillis) {
    List<byte[]> argv = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      argv.add(entries.get(i).member());
      argv.add(entries.get(i).label().getBytes(UTF_8));
      argv.add(RedisStaging.bytes(dueMillis.get(i)));
    }
    return RedisStaging.scored(owned().run(STAGE, keys.withStaging(set), argv));
  }

  @Override
  public void putBack(List<byte[]> tokens) {
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
    List<@Nullable Object> unused = owned().run(RETURN, keys.withStaging(set), argv);
  }

  private RedisStaging owned() {
    if (staging == null) {
      throw new IllegalStateException("A dry run changes nothing");
    }
    return staging;
  }

  @Override
  public String describe() {
    return set;
  }
}
