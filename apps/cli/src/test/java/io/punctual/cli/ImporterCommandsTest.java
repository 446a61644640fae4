package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.ExitCode;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands {@code import zset}, {@code db-scheduler} and the like. */
final class ImporterCommandsTest {
  private static final String DATABASE = "jdbc:h2:mem:importers";
  private static RedisProcess redis;

  private final Cli cli = new Cli();
  private final long due = Instant.now().plusSeconds(3600).toEpochMilli();

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void empty() {
    Object unused = redis.ask("FLUSHALL");
    cli.environment.put("PUNCTUAL_STORE", redis.url());
  }

  @Test
  void zset_dryRunThenImport_countsAndImports() {
    Object unused = redis.ask("ZADD", "delay", Long.toString(due), "a", "inf", "b");

    Cli.Result dry =
        cli.run(
            "import",
            "zset",
            "orders",
            "--from",
            redis.url(),
            "--wait",
            "delay",
            "--unit",
            "ms",
            "--id",
            "member",
            "--dry-run",
            "-o",
            "json");
    Cli.Result done =
        cli.run(
            "import",
            "zset",
            "orders",
            "--from",
            redis.url(),
            "--wait",
            "delay",
            "--unit",
            "ms",
            "--id",
            "member",
            "-o",
            "json");

    assertThat(dry.json().get("found").asLong()).isEqualTo(2);
    assertThat(dry.json().get("left").asLong()).isEqualTo(1);
    assertThat(done.exitCode()).isEqualTo(1);
    assertThat(done.json().get("scheduled").asLong()).isEqualTo(1);
    assertThat(done.err()).contains("Not imported: b");
    assertThat(cli.run("show", "orders", "a").out()).contains(Instant.ofEpochMilli(due).toString());
  }

  private Cli.Result zset(String... more) {
    String[] words = {"import", "zset", "orders", "--from", redis.url(), "--wait", "delay"};
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--unit", "ms", "--id", "member"));
    all.addAll(List.of(more));
    return cli.run(all.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"u:geheim", "u:geheim/x", "u:geheim?x"})
  void quartz_userBeforeTheHost_isWrongUsageWithoutThePassword(String user) {
    Cli.Result result =
        cli.run("import", "quartz", "orders", "--from", "jdbc:postgresql://" + user + "@host/shop");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("?user=").doesNotContain("geheim");
  }

  @Test
  void dbScheduler_driverRepeatsTheUrl_passwordIsNotShown() {
    Cli.Result result =
        cli.run(
            "import", "db-scheduler", "orders", "--from", "jdbc:h2:shop;USER=u;PASSWORD=geheim");

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("jdbc:h2:shop").doesNotContain("geheim");
  }

  @Test
  void zset_storeInMemory_isRefusedBeforeAnEntryIsTaken() {
    cli.environment.put("PUNCTUAL_STORE", "memory:");
    Object unused = redis.ask("ZADD", "delay", Long.toString(due), "a");

    Cli.Result result = zset();

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("name a durable store");
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(1L);
    assertThat(zset("--dry-run").exitCode()).isZero();
  }

  @Test
  void zset_dryRunOrAbort_createsNoJournal(@TempDir Path folder) {
    Path journal = folder.resolve("new");
    cli.environment.put("PUNCTUAL_STORE", "journal:" + journal);
    Object unused = redis.ask("ZADD", "delay", Long.toString(due), "a");

    assertThat(zset("--dry-run").exitCode()).isZero();
    assertThat(zset("--abort").exitCode()).isNotZero();
    assertThat(journal).doesNotExist();
  }

  @Test
  void zset_entryWithControlCharacters_isPrintedWithoutThem() {
    Object unused = redis.ask("ZADD", "delay", "inf", "\u001b[31mred");

    assertThat(zset().err()).contains("Not imported: ", "[31mred").doesNotContain("\u001b[31m");
  }

  @Test
  void zset_differentMessageWithTheId_saysThatTheEntryIsStaged() {
    assertThat(cli.run("schedule", "orders", "x", "--id", "a", "--in", "1h").exitCode()).isZero();
    Object unused = redis.ask("ZADD", "delay", Long.toString(due), "a");

    assertThat(zset().err()).contains("1 entries are in the staging", "--abort");
    assertThat(zset("--abort").out()).containsPattern("put back +1");
  }

  @Test
  void zset_withoutUnit_isWrongUsage() {
    Cli.Result result = cli.run("import", "zset", "orders", "--from", redis.url(), "--wait", "x");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--unit");
  }

  @Test
  void otherCommands_onEmptySources_importNothing() {
    for (String[] more :
        new String[][] {
          {"delay-table", "orders", "--project", "shop"},
          {"rqueue", "orders", "--data-version", "2"},
        }) {
      String[] args = new String[more.length + 3];
      args[0] = "import";
      System.arraycopy(more, 0, args, 1, more.length);
      args[more.length + 1] = "--from";
      args[more.length + 2] = redis.url();

      Cli.Result result = cli.run(args);

      assertThat(result.exitCode()).as(result.err()).isZero();
      assertThat(result.out()).containsPattern("scheduled +0");
      assertThat(result.err()).contains("Nothing was found");
    }
  }

  @Test
  void delayTable_emptyProject_isRefused() {
    Cli.Result result =
        cli.run("import", "delay-table", "orders", "--project", "", "--from", redis.url());

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("The project must be the text between the braces");
  }

  @Test
  void dbScheduler_rowOfATask_becomesAMessage() throws SQLException {
    try (Connection connection = DriverManager.getConnection(DATABASE);
        Statement statement = connection.createStatement()) {
      boolean unused =
          statement.execute(
              """
              CREATE TABLE jobs (task_name VARCHAR(99), task_instance VARCHAR(99), task_data BLOB,
                execution_time TIMESTAMP WITH TIME ZONE, picked BOOLEAN, picked_by VARCHAR(99),
                last_heartbeat TIMESTAMP WITH TIME ZONE, version BIGINT)
              """);
      boolean unused2 =
          statement.execute(
              """
              INSERT INTO jobs VALUES
                ('close', 'order-1', X'7B7D', TIMESTAMP WITH TIME ZONE '2099-01-01 00:00:00+00:00',
                FALSE, NULL, NULL, 1)
              """);

      Cli.Result result =
          cli.run("import", "db-scheduler", "close", "--from", DATABASE, "--table", "jobs");

      assertThat(result.exitCode()).as(result.err()).isZero();
      assertThat(cli.run("show", "close", "order-1").out()).contains("2099-01-01", "{}");
    }
  }

  @Test
  void quartz_withoutTables_namesTheTable() {
    Cli.Result result = cli.run("import", "quartz", "orders", "--from", DATABASE);

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("QRTZ_TRIGGERS");
  }

  @Test
  void abortWithFollow_isWrongUsage() {
    Cli.Result result =
        cli.run("import", "quartz", "orders", "--from", DATABASE, "--abort", "--follow");

    assertThat(result.exitCode()).isEqualTo(2);
  }
}
