package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.RedisStaging;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A Redis list whose elements are due. If the elements are ids, a Redis hash has their contents.
 * Not thread-safe.
 */
final class ListPlace implements EntryPlace {
  private static final Script SURVEY = RedisCalls.plain("list_survey");
  private static final Script STAGE = RedisCalls.owned("list_stage");
  private static final Script RETURN = RedisCalls.owned("list_return");
  private static final byte[] NOTHING = {};
  private static final byte[] TEST_RIGHTS = {'1'};
  private static final int SURVEY_STEP = 2;

  private final RedisCalls redis;
  private final @Nullable RedisStaging staging;
  private final ImportKeys keys;
  private final String list;
  private boolean rightsTested;

  ListPlace(RedisCalls redis, @Nullable RedisStaging staging, ImportKeys keys, String list) {
    this.redis = redis;
    this.staging = staging;
    this.keys = keys;
    this.list = list;
  }

  @Override
  public boolean has(byte kind) {
    return kind == RedisEntry.LISTED;
  }

  @Override
  public List<RedisEntry> survey(long offset, int max) {
    List<@Nullable Object> reply = redis.run(SURVEY, keys.with(list), RedisCalls.page(offset, max));
    List<RedisEntry> entries = new ArrayList<>();
    for (int i = 0; i + 1 < reply.size(); i += SURVEY_STEP) {
      if (reply.get(i) instanceof byte[] element) {
        byte[] content = reply.get(i + 1) instanceof byte[] found ? found : null;
        entries.add(new RedisEntry(RedisEntry.LISTED, "", element, content));
      }
    }
    return entries;
  }

  /** Moves elements; their due time is the current time of the server's clock. */
  @Override
  public List<RedisStaging.Scored> stage(List<RedisEntry> entries, List<Long> dueMillis) {
    List<byte[]> argv = new ArrayList<>();
    argv.add(UUID.randomUUID().toString().getBytes(UTF_8));
    argv.add(rightsTested ? NOTHING : TEST_RIGHTS);
    entries.forEach(entry -> argv.add(entry.member()));
    List<RedisStaging.Scored> staged =
        RedisStaging.scored(owned().run(STAGE, keys.withStaging(list), argv));
    rightsTested = true;
    return staged;
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
      argv.add(content == null ? NOTHING : content);
    }
    List<@Nullable Object> unused = owned().run(RETURN, keys.withStaging(list), argv);
  }

  private RedisStaging owned() {
    if (staging == null) {
      throw new IllegalStateException("A dry run changes nothing");
    }
    return staging;
  }

  @Override
  public String describe() {
    return list;
  }
}
