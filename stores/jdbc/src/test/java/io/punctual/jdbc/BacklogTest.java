package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.StoreUrl;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests claims of a backlog. Most claims begin where the last claim ended, but messages with
 * earlier times must not wait for the end of the backlog.
 */
final class BacklogTest {
  private static final int BACKLOG = 5000;

  private final String url =
      "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1?createTables=true";

  private JdbcStore open() {
    return JdbcStoreProvider.open(StoreUrl.parse(url));
  }

  private static void fill(TestCalls calls) throws Exception {
    for (int from = 0; from < BACKLOG; from += 1000) {
      List<Operation> batch =
          IntStream.range(from, from + 1000)
              .<Operation>mapToObj(i -> TestCalls.dueAt("m" + i, new DueTime(false, 1000 + i)))
              .toList();
      calls.call(new Call.Apply(batch, null));
    }
  }

  private static List<String> ids(Reply.Claimed claimed) {
    return claimed.messages().stream().map(Reply.Leased::id).toList();
  }

  @Test
  @Tag("extended")
  void claim_clientSchedulesEarlierMessage_takesItNext() throws Exception {
    try (JdbcStore store = open()) {
      TestCalls calls = new TestCalls(store, "orders");
      fill(calls);
      assertThat(ids(calls.claim(3))).containsExactly("m0", "m1", "m2");
      assertThat(ids(calls.claim(2))).containsExactly("m3", "m4");
      calls.schedule("early");
      assertThat(ids(calls.claim(2))).containsExactly("early", "m5");
    }
  }

  @Test
  void claim_otherProcessSchedulesEarlierMessage_takesItDuringTheBacklog() throws Exception {
    try (JdbcStore store = open();
        JdbcStore other = open()) {
      TestCalls calls = new TestCalls(store, "orders");
      fill(calls);
      assertThat(ids(calls.claim(1))).containsExactly("m0");
      new TestCalls(other, "orders").schedule("early");
      int claims = 0;
      while (!ids(calls.claim(1)).contains("early")) {
        assertThat(++claims).isLessThan(BACKLOG - 1);
      }
    }
  }
}
