package io.punctual.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the upgrade of tables and messages of an earlier release. */
final class UpgradeTest {
  private static final String QUEUE = "orders";

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue(QUEUE, Codec.string());
  }

  private static void execute(String url, String... commands) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String command : commands) {
        statement.execute(command);
      }
    }
  }

  /** Gives a message the content that a release without times of creation stored. */
  private static void writeOldContent(String url, String id, String payload) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement =
            connection.prepareStatement("UPDATE punctual_message SET content = ? WHERE id = ?")) {
      statement.setBytes(1, ContentFormat.encode(Content.of(payload.getBytes(UTF_8))));
      statement.setBytes(2, id.getBytes(UTF_8));
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void open_tablesWithoutHolders_keepsTheirMessagesAndLeases(TestDatabase database)
      throws SQLException {
    try (TestServer server = database.shared()) {
      String url = server.jdbcUrl();
      try (Punctual before = Punctual.open(url + "&createTables=true")) {
        queue(before).schedule(Message.of("leased").id("a"));
        assertThat(
                queue(before)
                    .claim(
                        1,
                        ClaimOptions.DEFAULT
                            .lease(Duration.ofHours(1))
                            .maxWait(Duration.ofSeconds(30))))
            .hasSize(1);
        queue(before).schedule(Message.of("waits").id("b"));
      }
      writeOldContent(url, "a", "leased");
      writeOldContent(url, "b", "waits");
      execute(
          url,
          "ALTER TABLE punctual_message DROP COLUMN holder",
          "DELETE FROM punctual_schema WHERE version > 4");
      assertThatThrownBy(() -> Punctual.open(url))
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("run V5__lease_holders.sql");

      try (Punctual after = Punctual.open(url + "&createTables=true")) {
        StoredMessage<String> leased = queue(after).find("a").orElseThrow();
        assertThat(leased.state()).isEqualTo(State.LEASED);
        assertThat(leased.payload()).isEqualTo("leased");
        assertThat(leased.createdAt()).isEmpty();
        assertThat(leased.leaseHolder()).isEmpty();
        assertThat(leased.leasedUntil()).isPresent();
        assertThat(
                queue(after)
                    .claim(
                        1,
                        ClaimOptions.DEFAULT
                            .lease(Duration.ofHours(1))
                            .maxWait(Duration.ofSeconds(30))))
            .hasSize(1);
        StoredMessage<String> claimed = queue(after).find("b").orElseThrow();
        assertThat(claimed.createdAt()).isEmpty();
        assertThat(claimed.leaseHolder()).isPresent();
      }
    }
  }

  /**
   * MariaDB commits each statement of a script, so an interruption leaves a part of the changes.
   */
  @ParameterizedTest
  @EnumSource(names = "MARIADB")
  void open_interruptedUpgrade_isCompleted(TestDatabase database) throws SQLException {
    try (TestServer server = database.shared()) {
      String url = server.jdbcUrl();
      Punctual.open(url + "&createTables=true").close();
      execute(url, "DELETE FROM punctual_schema WHERE version > 4");
      Punctual.open(url + "&createTables=true").close();
      Punctual.open(url).close();
    }
  }
}
