package io.punctual.benchmarks.http;

import io.punctual.benchmarks.Child;
import io.punctual.benchmarks.Effort;
import io.punctual.benchmarks.RedisServer;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.Subject;
import io.punctual.benchmarks.Trial;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.benchmarks.queue.Program;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Clients by HTTP, beside clients that use the same store directly. */
public final class HttpSubject implements Subject {
  private static final List<String> HEAP = List.of("-Xmx4g");

  private final Path folder;
  private final int seconds;
  private final IdlePolls idle;

  /**
   * Creates the subject.
   *
   * @param folder where the journals go
   */
  public HttpSubject(Effort effort, Path folder) {
    this.folder = folder;
    seconds = effort.choose(1, 10);
    idle = new IdlePolls(effort.choose(1_000, 10_000), 3 * seconds);
  }

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (String store : stores()) {
      for (String way : List.of("http", "bare", "direct")) {
        trials.add(trial("Calls of ", store, way, "Punctual HTTP API", 30, HttpApiChild.class));
      }
      for (String way : List.of("http", "direct")) {
        trials.add(
            trial("Java client of ", store, way, "Punctual HTTP store", 7, HttpStoreChild.class));
      }
    }
    for (String store : List.of("memory:", "journal:")) {
      trials.add(
          new Trial(
              "Idle server of " + store,
              -1,
              "Punctual HTTP API",
              Duration.ofSeconds(10 + 3L * seconds),
              () -> with(store, idle::measure)));
    }
    return trials;
  }

  private static List<String> stores() {
    List<String> stores = new ArrayList<>(List.of("memory:", "journal:", "redis:"));
    Program.POSTGRES.find().ifPresent(found -> stores.add("postgresql:"));
    return stores;
  }

  private Trial trial(
      String title, String store, String way, String contender, long times, Class<?> child) {
    return new Trial(
        title + store,
        -1,
        switch (way) {
          case "http" -> contender;
          case "bare" -> "bare Jetty handlers";
          default -> "Punctual " + store;
        },
        Duration.ofSeconds(times * seconds),
        () -> with(store, url -> measure(url, way, child)));
  }

  /** What is measured with an empty store. */
  @FunctionalInterface
  private interface Use {
    TrialOutcome of(String url) throws IOException, InterruptedException;
  }

  private TrialOutcome with(String store, Use use) throws IOException, InterruptedException {
    switch (store) {
      case "redis:" -> {
        try (RedisProcess redis = RedisServer.start()) {
          return use.of(redis.url());
        }
      }
      case "postgresql:" -> {
        Path programs = Program.POSTGRES.require().resolveSibling(".").normalize();
        try (PostgresServer server = PostgresServer.builder(programs).start()) {
          return use.of(server.jdbcUrl() + "&createTables=true");
        }
      }
      case "journal:" -> {
        return use.of(
            store + Files.createTempDirectory(Files.createDirectories(folder), "http-journal"));
      }
      default -> {
        return use.of(store);
      }
    }
  }

  private TrialOutcome measure(String url, String way, Class<?> main) throws IOException {
    try (Child child = Child.start(main, HEAP, url, way, Integer.toString(seconds))) {
      return TrialOutcome.of(child.expectSamples().toArray(Sample[]::new));
    }
  }

  @Override
  public List<String> leftOut() {
    return Program.POSTGRES.find().isPresent() ? List.of() : List.of(Program.POSTGRES.missing());
  }

  @Override
  public List<String> versions() {
    return List.of("JDK " + Runtime.version());
  }

  @Override
  public void close() {
    // Each trial has its own process.
  }
}
