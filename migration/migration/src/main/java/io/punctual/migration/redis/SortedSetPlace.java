package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.RedisStaging;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sorted set of entries, perhaps with a hash of their contents. Not thread-safe. */
final class SortedSetPlace extends EntryPlace {
  private static final Scripts SCRIPTS = Scripts.of("zset");

  SortedSetPlace(RedisCalls redis, @Nullable RedisStaging staging, ImportKeys keys, String set) {
    super(RedisEntry.SORTED, SCRIPTS, redis, staging, keys, set);
  }

  @Override
  List<RedisStaging.Scored> stage(List<RedisEntry> entries, List<Long> dueMillis) {
    List<byte[]> argv = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      argv.add(entries.get(i).member());
      argv.add(entries.get(i).label().getBytes(UTF_8));
      argv.add(RedisStaging.bytes(dueMillis.get(i)));
    }
    return stage(argv);
  }
}
