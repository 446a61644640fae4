package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartsTest {
  @Test
  void allEnd_theLatestFirst_evenIfSomeFail() {
    List<String> ended = new ArrayList<>();
    Parts parts = new Parts();
    parts.add("first", () -> ended.add("first"));
    parts.add(
        "failing",
        () -> {
          throw new IOException("failing");
        });
    parts.add("second", () -> ended.add("second"));
    parts.add(
        "broken",
        () -> {
          throw new LinkageError("broken");
        });
    parts.add("third", () -> ended.add("third"));

    parts.close();
    parts.close();

    assertThat(ended).containsExactly("third", "second", "first");
  }
}
