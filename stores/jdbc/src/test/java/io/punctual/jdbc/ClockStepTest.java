package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the deletion of expired ids after the database's clock has stepped back. */
final class ClockStepTest {
  /**
   * A schema whose clock the test sets. It is before pg_catalog in the search path, so its function
   * takes the place of PostgreSQL's function.
   */
  private static final List<String> SCHEMA =
      List.of(
          "CREATE SCHEMA clock",
          "CREATE TABLE clock.step (minutes bigint)",
          "INSERT INTO clock.step VALUES (0)",
          "CREATE FUNCTION clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql AS"
              + " 'SELECT pg_catalog.statement_timestamp()"
              + " + (SELECT minutes FROM clock.step) * interval ''1 minute'''");

  @Test
  @Tag("extended")
  void remember_clockStepsBack_expiredIdsAreDeleted() throws Exception {
    try (TestServer server = PostgresServer.shared()) {
      SCHEMA.forEach(server::execute);
      String url = server.jdbcUrl() + "&createTables=true&currentSchema=clock,pg_catalog";
      try (JdbcStore store = JdbcStoreProvider.open(StoreUrl.parse(url))) {
        TestCalls calls = new TestCalls(store, "orders-" + UUID.randomUUID());
        // After its first call, a client deletes the expired ids. A second call waits for that.
        var unused = calls.schedule("a");
        unused = calls.schedule("b");
        step(server, -60);
        long now = server.query("SELECT extract(epoch FROM now()) * 1000") - minutes(60);
        unused = calls.apply(new Operation.Remember("expired", now + minutes(5)));
        assertThat(remembered(server)).isEqualTo(1);
        step(server, -50);
        List<Operation> many =
            IntStream.range(0, Partition.MAX_OPERATIONS / 2)
                .<Operation>mapToObj(i -> new Operation.Remember("m-" + i, now + minutes(1000)))
                .toList();
        var reply = calls.call(new Call.Apply(many, null));
        assertThat(reply).isNotNull();
        Awaitility.await()
            .pollDelay(Duration.ZERO)
            .atMost(Duration.ofMinutes(1))
            .until(() -> remembered(server) == 0);
      }
    }
  }

  private static void step(TestServer server, int minutes) {
    server.execute("UPDATE clock.step SET minutes = " + minutes);
  }

  private static long minutes(int minutes) {
    return TimeUnit.MINUTES.toMillis(minutes);
  }

  private static long remembered(TestServer server) throws Exception {
    return server.query(
        "SELECT count(*) FROM clock.punctual_message WHERE id = convert_to('expired', 'UTF8')");
  }
}
