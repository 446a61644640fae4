package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.AnnouncedWorker;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerAnnouncement;
import io.punctual.cli.output.ExitCode;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests commands on tables of a database. Each command opens the store by its URL. */
class JdbcCommandTest {
  private final Cli cli = new Cli();

  @Test
  void commands_jdbcUrl_shareTheTables(@TempDir Path folder) {
    String url = "jdbc:h2:" + folder.resolve("shop") + "?createTables=true";
    cli.environment.put("PUNCTUAL_STORE", url);

    Cli.Result scheduled = cli.run("schedule", "orders", "hello", "--id", "a", "--in", "1h");
    assertThat(scheduled.exitCode()).as(scheduled.err()).isZero();

    assertThat(cli.run("queues").out()).contains("orders");
    assertThat(cli.run("stats", "orders").out()).containsPattern("scheduled +1\n");
    assertThat(cli.run("cancel", "orders", "a").exitCode()).isZero();
    assertThat(cli.run("stats", "orders").out()).containsPattern("scheduled +0\n");
  }

  @Test
  void workers_ofAnApplication_areListed(@TempDir Path folder) {
    String url = "jdbc:h2:" + folder.resolve("shop") + "?createTables=true";
    cli.environment.put("PUNCTUAL_STORE", url);
    try (Punctual application = Punctual.open(url)) {
      application.queue("orders", Codec.string()).work(delivery -> {});
      application.queue("mails", Codec.string()).work(delivery -> {});
      Cli.Result listed =
          await()
              .atMost(Duration.ofMinutes(1))
              .until(
                  () -> cli.run("workers", "--queue", "orders"),
                  result -> result.out().contains("orders"));
      assertThat(listed.out()).contains("CONCURRENCY", "orders").doesNotContain("mails");
      assertThat(cli.run("workers", "-o", "json").json().get(1).get("pid").asLong())
          .isEqualTo(ProcessHandle.current().pid());
      assertThat(listed.out()).contains("PER MIN", "LATENESS P99");
      assertThat(cli.run("workers", "-o", "json").json().get(1).get("handled").asLong()).isZero();
    }
    assertThat(cli.run("workers").out().lines()).hasSize(1);
  }

  @Test
  void workers_pause_isObeyedByTheApplication(@TempDir Path folder) {
    String url = "jdbc:h2:" + folder.resolve("shop") + "?createTables=true";
    cli.environment.put("PUNCTUAL_STORE", url);
    try (Punctual application = Punctual.open(url)) {
      AnnouncedWorker worker = application.announce(WorkerAnnouncement.of("orders", "night"));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> cli.run("workers").out().contains(worker.id()));
      assertThat(cli.run("workers", "--pause", "none").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
      assertThat(cli.run("workers", "--pause", "a", "--resume", "a").exitCode())
          .isEqualTo(ExitCode.USAGE);
      Cli.Result paused = cli.run("workers", "--pause", "night");
      assertThat(paused.exitCode()).isZero();
      assertThat(paused.err()).contains("Worker 'night' of queue 'orders'", "10 seconds");
      application.announce(WorkerAnnouncement.of("mails", "so that the next renewal is soon"));
      await().atMost(Duration.ofMinutes(1)).until(worker::isPaused);
      assertThat(cli.run("workers", "--resume", worker.id()).exitCode()).isZero();
    }
  }

  @Test
  void queues_withoutTables_namesTheRemedy(@TempDir Path folder) {
    Cli.Result result = cli.run("--store", "jdbc:h2:" + folder.resolve("shop"), "queues");
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("createTables");
  }
}
