package io.punctual.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class QueueNamesTest {
  /** Compares each name once: a comparison at each step of the sorting takes minutes. */
  @Test
  @Timeout(30)
  void existing_manyLongNames_namesTheNearest() {
    List<String> names =
        IntStream.range(0, 4_000)
            .mapToObj(i -> "tenant-%05d.".formatted(i) + "orders-of-a-shop.".repeat(10))
            .toList();

    String existing = QueueNames.existing(names.get(7).replace("shop", "ship"), names);

    assertThat(existing).startsWith("it has '" + names.get(7)).endsWith(" and 3,980 more");
  }
}
