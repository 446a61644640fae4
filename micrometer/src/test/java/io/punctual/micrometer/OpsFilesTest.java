package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.lock.LockEvent;
import io.punctual.lock.LockKind;
import io.punctual.rabbitmq.IntakeStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the dashboard, the alerts and the documentation with a scrape of the meters. */
class OpsFilesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern METRIC = Pattern.compile("\\bpunctual_[a-z_]+");
  private static final Pattern SELECTOR = Pattern.compile("\\b(punctual_[a-z_]+)\\{([^}]*)}");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=~?\\\\?\"([^\"\\\\]*)");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on) \\(([a-z_, ]+)\\)");

  /** Labels that Prometheus adds to each series. */
  private static final Set<String> SCRAPER = Set.of("instance", "job");

  /** The values of each label of each metric, by the name of the metric. */
  private static final Map<String, Map<String, Set<String>>> SCRAPED = new HashMap<>();

  @BeforeAll
  static void scrape() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    ObservationRegistry observations = ObservationRegistry.create();
    observations
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(registry));
    new PunctualLockMeters(registry)
        .on(new LockEvent.Acquired(LockKind.MUTEX, "a", 1, Duration.ZERO));
    PunctualRabbitMeters.of("a", () -> new IntakeStats(1, 1, 1, 1, 1, 1, 1), () -> true, registry);
    try (MeteredWorld world =
        new MeteredWorld(
            PunctualMeters.builder(registry),
            List.of(PunctualObservations.builder(observations).build()))) {
      world.queue.schedule(Message.of("a"));
      try {
        world.queue.schedule(Message.of("a").header("too-long", "x".repeat(100_000)));
      } catch (IllegalArgumentException expected) {
        // This schedule fails, so that the scrape has the outcome "failure".
      }
      world.queue.work(
          MeteredWorld.inline().retryPolicy(RetryPolicy.never()).build(),
          delivery -> {
            registry.scrape().lines().forEach(OpsFilesTest::sample);
            throw new IllegalStateException("expected");
          });
      world.advance(Duration.ofSeconds(1));
      world.refresh.run();
      registry.scrape().lines().forEach(OpsFilesTest::sample);
    }
  }

  private static void sample(String line) {
    if (line.startsWith("#")) {
      return;
    }
    int end = line.contains("{") ? line.indexOf('{') : line.indexOf(' ');
    Map<String, Set<String>> labels =
        SCRAPED.computeIfAbsent(line.substring(0, end), name -> new HashMap<>());
    Matcher label = LABEL.matcher(line.substring(end));
    while (label.find()) {
      labels.computeIfAbsent(label.group(1), name -> new HashSet<>()).add(label.group(2));
    }
  }

  static Stream<Path> files() throws IOException {
    return Stream.concat(files("ops/grafana"), files("ops/prometheus"));
  }

  private static Stream<Path> files(String folder) throws IOException {
    try (Stream<Path> found = Files.walk(ROOT.resolve(folder))) {
      return found.filter(Files::isRegularFile).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyMetric_existsInAScrape(Path file) throws IOException {
    assertThat(METRIC.matcher(Files.readString(file)).results().map(hit -> hit.group()))
        .isNotEmpty()
        .allSatisfy(name -> assertThat(SCRAPED).containsKey(name));
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyLabelOfASelector_existsWithItsValue(Path file) throws IOException {
    Matcher selector = SELECTOR.matcher(Files.readString(file));
    while (selector.find()) {
      Map<String, Set<String>> labels = SCRAPED.get(selector.group(1));
      Matcher label = LABEL.matcher(selector.group(2));
      while (label.find()) {
        assertThat(labels).as(selector.group()).containsKey(label.group(1));
        if (!label.group(2).startsWith("$")) {
          assertThat(labels.get(label.group(1))).as(selector.group()).contains(label.group(2));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyGroupingLabel_exists(Path file) throws IOException {
    Set<String> known = new HashSet<>(SCRAPER);
    SCRAPED.values().forEach(labels -> known.addAll(labels.keySet()));
    Matcher grouping = GROUPING.matcher(Files.readString(file));
    while (grouping.find()) {
      assertThat(known).as(grouping.group()).contains(grouping.group(1).split(", *"));
    }
  }

  @Test
  void documentation_hasEachAlert() throws IOException {
    String rules = Files.readString(ROOT.resolve("ops/prometheus/punctual-alerts.yml"));
    String documented = Files.readString(ROOT.resolve("docs/metrics.md"));
    List<String> alerts =
        Pattern.compile("- alert: (\\w+)").matcher(rules).results().map(a -> a.group(1)).toList();
    assertThat(alerts).hasSizeGreaterThan(10);
    assertThat(alerts).allSatisfy(alert -> assertThat(documented).contains("`" + alert + "`"));
  }

  @Test
  void scrape_hasTheMetersOfTheDocumentation_andNoOthers() throws IOException {
    Set<String> documented = new HashSet<>();
    Matcher name =
        Pattern.compile("(?m)^\\| `(punctual\\.[a-z.]+)`")
            .matcher(Files.readString(ROOT.resolve("docs/metrics.md")));
    while (name.find()) {
      documented.add(name.group(1).replace('.', '_'));
    }
    Set<String> scraped = new HashSet<>();
    SCRAPED
        .keySet()
        .forEach(
            each ->
                scraped.add(
                    each.replaceAll("_(bucket|count|sum|max|total)$", "")
                        .replaceAll("_seconds$", "")));
    assertThat(scraped).isEqualTo(documented);
  }
}
