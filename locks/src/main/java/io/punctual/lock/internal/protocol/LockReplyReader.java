package io.punctual.lock.internal.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.connection.RedisReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the values of a script's reply in sequence. Not thread-safe. */
public final class LockReplyReader {
  private final List<@Nullable Object> values;
  private int next;

  public LockReplyReader(RedisReply answer) {
    values = answer.values();
  }

  /** Returns whether there is a further value. */
  public boolean hasNext() {
    return next < values.size();
  }

  public String text() {
    if (values.get(next++) instanceof byte[] bytes) {
      return new String(bytes, UTF_8);
    }
    throw new IllegalStateException("Redis answered something else than text");
  }

  public long number() {
    Object value = values.get(next);
    if (value instanceof Long number) {
      next++;
      return number;
    }
    return Long.parseLong(text());
  }
}
