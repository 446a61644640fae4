package io.punctual.migration.redisson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.migration.internal.ImportEntry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RedissonEntryTest {
  private static final byte[] RANDOM = {1, 2, 3, 4, 5, 6, 7, (byte) 0xff};

  private static byte[] current(byte[] payload) {
    return ByteBuffer.allocate(17 + payload.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) 8)
        .put(RANDOM)
        .putLong(payload.length)
        .put(payload)
        .array();
  }

  private static byte[] old(byte[] payload) {
    return ByteBuffer.allocate(16 + payload.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(RANDOM)
        .putLong(payload.length)
        .put(payload)
        .array();
  }

  @Test
  void bothLayouts_haveTheirPayloadAndId() {
    byte[] payload = "payload".getBytes(UTF_8);

    for (byte[] bytes : new byte[][] {current(payload), old(payload)}) {
      ImportEntry entry = RedissonEntry.of(bytes, 5);
      assertThat(entry.problem()).isNull();
      assertThat(entry.id()).isEqualTo("redisson-01020304050607ff");
      assertThat(entry.payload()).isEqualTo(payload);
      assertThat(entry.dueMillis()).isEqualTo(5);
    }
    assertThat(RedissonEntry.parse(current(payload)).format())
        .isEqualTo(RedissonEntry.Format.CURRENT);
    assertThat(RedissonEntry.parse(old(payload)).format()).isEqualTo(RedissonEntry.Format.OLD);
  }

  @Test
  void emptyPayload_isReadInBothLayouts() {
    assertThat(RedissonEntry.of(current(new byte[0]), 0).payload()).isEmpty();
    assertThat(RedissonEntry.of(old(new byte[0]), 0).payload()).isEmpty();
  }

  @Test
  void otherBytes_areAProblem_andNeverAnException() {
    Random random = new Random(7);
    for (int length = 0; length < 300; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      assertThat(RedissonEntry.of(bytes, 0).problem()).isNotNull();
      if (length > 0) {
        bytes[0] = 8;
        assertThat(RedissonEntry.of(bytes, 0).problem()).isNotNull();
      }
    }
  }
}
