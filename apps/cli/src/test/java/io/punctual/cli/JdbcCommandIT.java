package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.kit.process.Command;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the script {@code punctual} as a user does, on servers of databases. */
class JdbcCommandIT {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int LINES = 2_000;

  @TempDir private Path folder;
  private String url = "";

  private record Result(int exitCode, String out, String err) {}

  private static String jarOf(Class<? extends Driver> driver) {
    return Path.of(driver.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
  }

  private Result run(String drivers, Path input, String... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of(PackagedCommand.SCRIPT.toString()));
    words.addAll(List.of(arguments));
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    Process process =
        Command.of(words)
            .environment("XDG_CONFIG_HOME", folder.toString())
            .environment("PUNCTUAL_STORE", url)
            .environment("PUNCTUAL_CLASSPATH", drivers)
            .environment("JAVA_HOME", System.getProperty("java.home"))
            .launch(
                Redirect.from(input.toFile()),
                Redirect.to(out.toFile()),
                Redirect.to(err.toFile()));
    boolean ended = process.waitFor(180, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as(String.join(" ", arguments)).isTrue();
    // Another test may begin at the same time, so that either makes the archive of the launcher.
    String errors = Files.readString(err).replaceFirst("punctual: Preparing fast starts.*\n", "");
    return new Result(process.exitValue(), Files.readString(out), errors);
  }

  @Test
  void commands_onPostgres_workAndTellTheirOutcome() throws Exception {
    try (TestServer database = PostgresServer.start()) {
      expectMainCommands(database, "", true);
    }
  }

  @Test
  @Tag("extended")
  void commands_onMariaDbWithItsDriver_workAndTellTheirOutcome() throws Exception {
    try (TestServer database = MariaDbServer.start()) {
      boolean all = Boolean.getBoolean("punctual.thorough");
      expectMainCommands(database, jarOf(org.mariadb.jdbc.Driver.class), all);
    }
  }

  private void expectMainCommands(TestServer database, String drivers, boolean all)
      throws Exception {
    Path nothing = Files.createFile(folder.resolve("nothing"));
    url = database.jdbcUrl();
    Result missing = run(drivers, nothing, "queues");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("createTables").hasLineCount(1);

    url = database.jdbcUrl() + "&createTables=true";
    assertThat(expect(0, drivers, nothing, "schedule", "q", "tea", "--id", "a", "--in", "1h").out())
        .isEqualTo("a\n");
    if (all) {
      expectMoreCommands(drivers, nothing);
    }
    expect(0, drivers, nothing, "run-now", "q", "a");
    expectEachLineOnce(drivers);
    assertThat(expect(0, drivers, nothing, "stats", "q", "-o", "json").out())
        .contains("\"scheduled\":0,\"ready\":0,\"overdueMillis\":0,\"leased\":0,\"dead\":0");

    database.kill();
    Result unreachable = expect(5, drivers, nothing, "stats", "q");
    assertThat(unreachable.err()).doesNotContain("\tat ");
  }

  private void expectMoreCommands(String drivers, Path nothing) throws Exception {
    expect(4, drivers, nothing, "schedule", "q", "tea", "--id", "a", "--in", "1h");
    assertThat(expect(0, drivers, nothing, "list", "q", "-o", "ndjson").out())
        .contains("\"id\":\"a\"")
        .hasLineCount(1);
    expect(3, drivers, nothing, "show", "q", "b");
    expect(3, drivers, nothing, "stats", "nowhere");
  }

  private Result expect(int exitCode, String drivers, Path input, String... arguments)
      throws Exception {
    Result result = run(drivers, input, arguments);
    assertThat(result.exitCode()).as("%s: %s", List.of(arguments), result).isEqualTo(exitCode);
    return result;
  }

  /**
   * Schedules lines and consumes the queue. Expects each line once, and the message that {@code
   * run-now} has made due.
   */
  private void expectEachLineOnce(String drivers) throws Exception {
    StringBuilder lines = new StringBuilder();
    Set<String> ids = new HashSet<>(Set.of("a"));
    for (int i = 0; i < LINES; i++) {
      lines.append("{\"id\":\"line-%d\",\"delay\":\"0s\",\"payload\":%d}\n".formatted(i, i));
      ids.add("line-" + i);
    }
    Path input = Files.writeString(folder.resolve("lines"), lines);
    assertThat(expect(0, drivers, input, "schedule", "q").out()).hasLineCount(LINES);
    String count = Integer.toString(LINES + 1);
    List<String> deliveries =
        expect(0, drivers, input, "consume", "q", "--max", count).out().lines().toList();
    assertThat(deliveries).hasSize(LINES + 1);
    Set<String> delivered = new HashSet<>();
    for (String delivery : deliveries) {
      JsonNode line = JSON.readTree(delivery);
      assertThat(line.get("latenessMillis").asDouble()).isNotNegative();
      delivered.add(line.get("id").asString());
    }
    assertThat(delivered).isEqualTo(ids);
  }

  @Test
  void driver_missing_namesTheVariable() throws Exception {
    url = "jdbc:mariadb://127.0.0.1/shop?user=root";
    Result result = run("", Files.createFile(folder.resolve("nothing")), "queues");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .contains("jdbc:mariadb:", "org.mariadb.jdbc:mariadb-java-client", "PUNCTUAL_CLASSPATH");
  }
}
