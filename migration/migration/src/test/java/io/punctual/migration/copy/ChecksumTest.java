package io.punctual.migration.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.migration.message.MessageImage;
import io.punctual.spi.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChecksumTest {
  @Test
  void add_anyOrder_isOfAllPartsAndOfNoOrder() {
    MessageImage one = image("a", 1, 1, "h", 0, "p");
    MessageImage two = image("b", 1, 1, "h", 0, "p");
    Checksum forward = new Checksum();
    forward.add(one);
    forward.add(two);
    Checksum backward = new Checksum();
    backward.add(two);
    backward.add(one);
    assertThat(forward.isEqual(backward)).isTrue();
    for (MessageImage other :
        List.of(
            image("c", 1, 1, "h", 0, "p"),
            image("b", 2, 1, "h", 0, "p"),
            image("b", 1, 2, "h", 0, "p"),
            image("b", 1, 1, "i", 0, "p"),
            image("b", 1, 1, "h", 5, "p"),
            image("b", 1, 1, "h", 0, "q"))) {
      Checksum different = new Checksum();
      different.add(one);
      different.add(other);
      assertThat(different.isEqual(forward)).as("%s", other).isFalse();
    }
  }

  private static MessageImage image(
      String id, long due, int attempts, String history, long diedAt, String payload) {
    return MessageImage.of(
        new Entry(
            id,
            diedAt == 0 ? State.READY : State.DEAD,
            Samples.text(payload),
            due,
            attempts,
            history.getBytes(UTF_8),
            0,
            false,
            diedAt,
            null));
  }
}
