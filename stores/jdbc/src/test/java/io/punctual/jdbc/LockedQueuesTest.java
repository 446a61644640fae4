package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.StoreUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An application holds the locks of messages of many queues. The other queues go on. */
final class LockedQueuesTest {
  private static final int LOCKED_QUEUES = 6;
  private static final int MESSAGES = 100;
  private static final int CALLS = 30;

  /**
   * The clients of the locked queues call again and again. A call that must wait for their calls
   * takes as long as one of them, so that about as many of their calls end meanwhile.
   */
  @Test
  void call_ofAFreeQueue_doesNotWaitForCallsOfLockedQueues() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger ended = new AtomicInteger();
    try (TestServer server = PostgresServer.shared();
        JdbcStore store =
            JdbcStoreProvider.open(StoreUrl.parse(server.jdbcUrl() + "&createTables=true"));
        Connection holder = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = holder.createStatement()) {
      List<CompletableFuture<?>> clients = new ArrayList<>();
      List<TestCalls> locked = new ArrayList<>();
      for (int i = 0; i < LOCKED_QUEUES; i++) {
        TestCalls calls = new TestCalls(store, "locked-" + i);
        calls.call(new Call.Apply(all(id -> TestCalls.dueAt(id, TestCalls.PAST)), null));
        locked.add(calls);
      }
      TestCalls free = new TestCalls(store, "free");
      holder.setAutoCommit(false);
      assertThat(statement.executeUpdate("UPDATE punctual_message SET attempts = attempts"))
          .isEqualTo(LOCKED_QUEUES * MESSAGES);
      for (TestCalls calls : locked) {
        clients.add(repeat(calls, isOver, ended));
      }
      for (int i = 0; i < CALLS; i++) {
        free.schedule("m" + i);
      }
      int endedMeanwhile = ended.get();
      isOver.set(true);
      holder.rollback();
      CompletableFuture.allOf(clients.toArray(CompletableFuture<?>[]::new)).join();
      assertThat(endedMeanwhile).isLessThan(CALLS / 2);
    }
  }

  private static List<Operation> all(Function<String, Operation> operation) {
    return IntStream.range(0, MESSAGES).mapToObj(i -> operation.apply("m" + i)).toList();
  }

  /** Cancels the messages of a queue again and again. */
  private static CompletableFuture<?> repeat(
      TestCalls calls, AtomicBoolean isOver, AtomicInteger ended) {
    return calls
        .begin(new Call.Apply(all(Operation.Cancel::new), null))
        .thenComposeAsync(
            reply -> {
              ended.incrementAndGet();
              return isOver.get()
                  ? CompletableFuture.completedFuture(null)
                  : repeat(calls, isOver, ended);
            });
  }
}
