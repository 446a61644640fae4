package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.RedisStaging;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A Redis list whose elements are due: their due time is the current time of the server's clock. If
 * the elements are ids, a Redis hash has their contents. Not thread-safe.
 */
final class ListPlace extends EntryPlace {
  private static final Scripts SCRIPTS = Scripts.of("list");
  private static final byte[] NOTHING = {};
  private static final byte[] TEST_RIGHTS = {'1'};

  private boolean rightsTested;

  ListPlace(RedisCalls redis, @Nullable RedisStaging staging, ImportKeys keys, String list) {
    super(RedisEntry.LISTED, SCRIPTS, redis, staging, keys, list);
  }

  @Override
  List<RedisStaging.Scored> stage(List<RedisEntry> entries, List<Long> dueMillis) {
    List<byte[]> argv = new ArrayList<>();
    argv.add(UUID.randomUUID().toString().getBytes(UTF_8));
    argv.add(rightsTested ? NOTHING : TEST_RIGHTS);
    entries.forEach(entry -> argv.add(entry.member()));
    List<RedisStaging.Scored> staged = stage(argv);
    rightsTested = true;
    return staged;
  }
}
