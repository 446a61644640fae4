package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.EnlistedQueue;
import io.punctual.Punctual;
import io.punctual.SettleOutcome;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.StoreUrl;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the sessions for claims, whose calls run beside the operations of a queue. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClaimSessionsTest {
  private enum Database {
    POSTGRES,
    MARIADB
  }

  private final String name = "orders-" + UUID.randomUUID();
  private TestServer postgres;
  private TestServer mariaDb;

  @BeforeAll
  void startServers() {
    postgres = PostgresServer.shared();
    mariaDb = MariaDbServer.shared();
  }

  @AfterAll
  void stopServers() {
    if (postgres != null) {
      postgres.close();
    }
    if (mariaDb != null) {
      mariaDb.close();
    }
  }

  private String url(Database database) {
    return (database == Database.POSTGRES ? postgres : mariaDb).jdbcUrl();
  }

  private JdbcStore open(Database database) {
    return JdbcStoreProvider.open(StoreUrl.parse(url(database) + "&createTables=true"));
  }

  /** A session for claims. For a single thread. */
  private static final class ClaimCalls {
    final Sessions sessions;
    private final String session = UUID.randomUUID().toString().replace("-", "");
    private long number;

    ClaimCalls(Partition partition) throws Exception {
      sessions = partition.claimSessions();
      assertThat(sessions).isNotNull();
      await(sessions.openSession(session, null));
    }

    Reply call(Call.Body body) throws Exception {
      return await(begin(body));
    }

    CompletionStage<Reply> begin(Call.Body body) {
      number++;
      return sessions.call(new Call(session, number, number, body, false));
    }
  }

  @Test
  void claim_operationWaitsForATransactionOfTheApplication_isAnsweredFirst() throws Exception {
    try (JdbcStore store = open(Database.POSTGRES);
        Punctual punctual = Punctual.open(url(Database.POSTGRES));
        JdbcUserTransaction user = new JdbcUserTransaction(url(Database.POSTGRES))) {
      TestCalls operations = new TestCalls(store, name);
      ClaimCalls claims = new ClaimCalls(operations.partition);
      operations.schedule("locked");
      operations.schedule("free");
      EnlistedQueue<String> enlisted =
          punctual.queue(name, Codec.string()).inTransaction(user.transaction());
      claims.call(new Call.Claim(0, 60_000));
      enlisted.cancel("locked");
      Queue<Reply> replies = new ConcurrentLinkedQueue<>();
      CompletionStage<?> operation =
          operations
              .begin(new Call.Apply(List.of(new Operation.Cancel("locked")), null))
              .thenAccept(replies::add);
      CompletionStage<?> claim = claims.begin(new Call.Claim(10, 60_000)).thenAccept(replies::add);
      await(claim);
      await(operation);
      assertThat(replies.remove())
          .isInstanceOfSatisfying(
              Reply.Claimed.class,
              claimed ->
                  assertThat(claimed.messages())
                      .extracting(Reply.Leased::id)
                      .containsExactly("free"));
      assertThat(replies.remove())
          .isInstanceOfSatisfying(
              Reply.Applied.class,
              applied ->
                  assertThat(applied.outcomes()).singleElement().isInstanceOf(Outcome.Busy.class));
    }
  }

  @Test
  void operation_ofASessionForClaims_isExecuted() throws Exception {
    try (JdbcStore store = open(Database.POSTGRES)) {
      TestCalls operations = new TestCalls(store, name + "-acks");
      ClaimCalls claims = new ClaimCalls(operations.partition);
      operations.schedule("a");
      Reply.Claimed claimed = (Reply.Claimed) claims.call(new Call.Claim(10, 60_000));
      Reply.Applied acked =
          (Reply.Applied)
              claims.call(new Call.Apply(List.of(new Operation.Ack("a", claimed.token())), null));
      assertThat(acked.outcomes()).containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
    }
  }

  /**
   * A claim may have skipped the due message while the operation locked it. The operation must
   * therefore wake up the workers, although it does not change the time of the message.
   */
  @ParameterizedTest
  @EnumSource
  void operation_leavesADueMessageUnchanged_wakesUpTheWorkers(Database database) throws Exception {
    try (JdbcStore store = open(database)) {
      TestCalls operations = new TestCalls(store, name + "-unchanged");
      operations.schedule("a");
      BlockingQueue<Long> hints = new LinkedBlockingQueue<>();
      operations.claim(0);
      operations.partition.onWakeUp(hints::add);
      operations.schedule("a");
      assertThat(hints.poll(10, TimeUnit.SECONDS)).isZero();
    }
  }

  /** On MariaDB, an operation fails on a row that a claim has locked, and is repeated. */
  @Test
  void claimSessions_operationsDoNotWaitForLocks_areNone() throws Exception {
    try (JdbcStore store = open(Database.MARIADB)) {
      Partition partition = await(store.partitions(name)).get(0);
      assertThat(partition.claimSessions()).isNull();
    }
  }

  @Test
  void claimSessions_databaseLocksTheQueueForAClaim_areNone() throws Exception {
    String h2 = "jdbc:h2:mem:" + UUID.randomUUID() + "?createTables=true";
    try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(h2))) {
      Partition partition = await(store.partitions(name)).get(0);
      assertThat(partition.claimSessions()).isNull();
    }
  }
}
