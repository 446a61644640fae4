package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.database.PostgresPrograms;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.history.Breach;
import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.RememberedIds;
import io.punctual.kit.kill.Traffic;
import io.punctual.kit.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests messages while faults are injected into PostgreSQL. No message may be lost or early, or be
 * delivered after a confirmed cancel or ack. A crash may lose claims, so that their messages are
 * delivered again at once. {@code -Dpunctual.faults.seconds=N} sets how long faults last or are
 * repeated, and {@code -Dpunctual.faults.seed=N} repeats the choices of a run.
 */
@Tag("faults")
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class PostgresFaultsTest {
  /** The folder of Debian's versions of PostgreSQL, which include pg_basebackup. */
  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

  private static final Path FAKETIME =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

  private static final int DISK_MEGABYTES = 160;

  /**
   * The options of the URL. Calls fail after a second without a reply, so that a short fault has an
   * effect.
   */
  private static final String OPTIONS = "&createTables=true&socketTimeout=1";

  @TempDir private Path directory;
  private KillPlan plan;

  @BeforeEach
  void plan(TestInfo test) {
    plan = KillPlan.ofFaults(test.getDisplayName());
  }

  /** Starts a producer and two workers, and waits for the first messages. */
  private KillRun traffic(String url) {
    KillRun run = new KillRun(directory, url + OPTIONS, plan.seed());
    Traffic.endless().start(run);
    run.awaitScheduled(100);
    return run;
  }

  @Test
  void server_killedAndRestarted_losesNothing() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        KillRun run = traffic(server.jdbcUrl())) {
      plan.repeat(
          Duration.ofMillis(700),
          () -> {
            run.crash(server::kill);
            server.launch();
          });
      System.out.println(run.judge().expectClean());
    }
  }

  /**
   * Producers schedule the same ids again and again, while processes and the server are killed. An
   * id may be handled again only after a lost lease.
   */
  @Test
  void server_killedAndRestarted_rememberedIdsAreHandledAgainOnlyAfterALostLease()
      throws Exception {
    try (PostgresServer server = PostgresServer.start();
        KillRun run = new KillRun(directory, server.jdbcUrl() + OPTIONS, plan.seed())) {
      RememberedIds remembered = RememberedIds.start(run);
      plan.repeat(
          Duration.ofSeconds(1),
          () -> {
            RememberedIds.replaceOneOfEach(run);
            run.crash(
                () -> {
                  server.kill();
                  server.launch();
                });
          });
      remembered.judge(run).expectClean();
    }
  }

  @Test
  void server_frozenBeyondTheTimeout_losesNothing() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        KillRun run = traffic(server.jdbcUrl())) {
      plan.repeat(
          Duration.ofSeconds(1),
          () -> {
            server.freeze();
            KillPlan.during(Duration.ofSeconds(3));
            server.thaw();
          });
      System.out.println(run.judge().expectClean());
    }
  }

  @Test
  void connections_cutAllTheTime_loseNothing() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        KillRun run = traffic(PostgresServer.jdbcUrl(proxy.port()))) {
      plan.repeat(Duration.ofMillis(100), proxy::cut);
      System.out.println(run.judge().expectClean());
    }
  }

  @Test
  void replies_lost_loseNothing() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        KillRun run = traffic(PostgresServer.jdbcUrl(proxy.port()))) {
      plan.repeat(
          Duration.ofSeconds(1),
          () -> {
            proxy.swallow(Direction.TO_CLIENT);
            KillPlan.during(Duration.ofSeconds(2));
            proxy.heal();
          });
      System.out.println(run.judge().expectClean());
    }
  }

  /**
   * An open snapshot at REPEATABLE READ keeps dead rows in the table. Claims must skip these rows.
   */
  @Test
  void snapshot_heldUnderLoad_losesNothing() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        KillRun run = traffic(server.jdbcUrl());
        Connection old = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = old.createStatement()) {
      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT count(*) FROM punctual_message");
      KillPlan.during(KillPlan.LENGTH);
      System.out.println(run.judge().expectClean());
    }
  }

  @Test
  void disk_full_losesNothing() throws Exception {
    Path disk = Files.createTempDirectory("punctual-postgres-disk");
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MEGABYTES + "m", "tmpfs", disk.toString()),
        "Needs the right to mount a file system");
    try {
      fillDisk(disk);
    } finally {
      assertThat(run("umount", "-l", disk.toString())).isTrue();
      Files.delete(disk);
    }
  }

  private void fillDisk(Path disk) throws Exception {
    List<String> settings = List.of("max_wal_size=32MB", "min_wal_size=32MB");
    try (PostgresServer server =
            PostgresServer.builder(PostgresPrograms.folder().orElseThrow())
                .folder(disk)
                .settings(settings)
                .start();
        KillRun run = traffic(server.jdbcUrl())) {
      plan.repeat(
          Duration.ofSeconds(1),
          () -> {
            run.crash(
                () -> {
                  // dd fails when the disk is full, as intended.
                  boolean unused =
                      run("dd", "if=/dev/zero", "of=" + disk.resolve("filler"), "bs=64k");
                  KillPlan.during(Duration.ofSeconds(3));
                });
            Files.delete(disk.resolve("filler"));
            if (!server.isRunning()) {
              server.launch();
            }
          });
      System.out.println(run.judge().expectClean());
    }
  }

  /** The replica is synchronous, so it has each confirmed change except the latest claims. */
  @ParameterizedTest
  @ValueSource(strings = {"on", "remote_apply"})
  void primary_killedAndReplicaPromoted_losesNothing(String commit) throws Exception {
    Path folder = Files.createTempDirectory("punctual-postgres");
    List<String> settings = List.of("synchronous_commit=" + commit);
    try (PostgresServer primary =
            PostgresServer.builder(ofDebian()).folder(folder).settings(settings).start();
        PostgresServer replica = PostgresServer.replicaOf(primary)) {
      execute(primary.jdbcUrl(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
      execute(primary.jdbcUrl(), "SELECT pg_reload_conf()");
      String both = "127.0.0.1:" + primary.port() + ",127.0.0.1:" + replica.port();
      String url =
          primary.jdbcUrl().replace("127.0.0.1:" + primary.port(), both)
              + "&targetServerType=primary";
      try (KillRun run = traffic(url)) {
        KillPlan.during(KillPlan.LENGTH);
        run.crash(primary::kill);
        execute(replica.jdbcUrl(), "SELECT pg_promote()");
        KillPlan.during(KillPlan.LENGTH);
        System.out.println(run.judge().expectClean());
      }
    }
  }

  private static Path ofDebian() throws IOException {
    assumeTrue(Files.isDirectory(DEBIAN), "Needs Debian's PostgreSQL: apt-get install postgresql");
    try (Stream<Path> versions = Files.list(DEBIAN)) {
      return versions
          .map(version -> version.resolve("bin"))
          .filter(programs -> Files.isExecutable(programs.resolve("pg_basebackup")))
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  /** A step of the clock forward ends leases early. A step back delays messages. */
  @ParameterizedTest
  @CsvSource({"+3600, +3600", "-3600, +0"})
  void clock_stepsByAnHour_losesNothing(String there, String back) throws Exception {
    assumeTrue(Files.exists(FAKETIME), "Needs faketime; on Debian: apt-get install faketime");
    Path folder = Files.createTempDirectory("punctual-postgres");
    Path clock = Files.writeString(folder.resolve("clock"), "+0");
    Map<String, String> environment =
        Map.of(
            "LD_PRELOAD",
            FAKETIME.toString(),
            "FAKETIME_TIMESTAMP_FILE",
            clock.toString(),
            "FAKETIME_NO_CACHE",
            "1",
            "FAKETIME_DONT_FAKE_MONOTONIC",
            "1");
    try (PostgresServer server =
            PostgresServer.builder(ofDebian()).folder(folder).environment(environment).start();
        KillRun run = traffic(server.jdbcUrl())) {
      long before = seconds(server);
      Files.writeString(clock, there);
      assertThat(Math.abs(seconds(server) - before)).as("the step").isGreaterThan(1800);
      KillPlan.during(KillPlan.LENGTH);
      Files.writeString(clock, back);
      HistoryReport report = run.judge().expectNothingLost();
      System.out.println(report);
      assertThat(report.count(Breach.LOST)).as("%s", report).isZero();
    }
  }

  private static long seconds(PostgresServer server) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT extract(epoch FROM now())::bigint")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private static boolean run(String... command) {
    return Command.of(command).succeeds();
  }
}
