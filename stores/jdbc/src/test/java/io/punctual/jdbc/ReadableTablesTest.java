package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.kit.database.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the queries by which the documentation reads the tables. */
final class ReadableTablesTest {
  private static final Pattern QUERY =
      Pattern.compile("```sql\n(SELECT q\\.name.*?);\n```", Pattern.DOTALL);

  @ParameterizedTest
  @EnumSource
  void query_waitingMessage_isReadable(TestDatabase database) throws Exception {
    String page = Files.readString(Path.of("..", "..", "docs", "jdbc.md"));
    List<String> queries = QUERY.matcher(page).results().map(found -> found.group(1)).toList();
    Instant due = Instant.parse("2037-01-31T12:00:00Z");
    try (TestServer server = database.shared();
        Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true");
        Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      punctual
          .queue("orders", Codec.string())
          .schedule(Message.of("x").id("bestellung-ü").dueAt(due));
      try (ResultSet row =
          statement.executeQuery(queries.get(database == TestDatabase.POSTGRESQL ? 0 : 1))) {
        assertThat(row.next()).isTrue();
        assertThat(row.getString("queue")).isEqualTo("orders");
        assertThat(row.getString("id")).isEqualTo("bestellung-ü");
        assertThat(row.getString("state")).isEqualTo("waiting");
        assertThat(row.getTimestamp("at").toInstant()).isEqualTo(due);
        assertThat(row.next()).isFalse();
      }
    }
  }
}
