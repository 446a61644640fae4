package io.punctual.migration.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.TestServer;
import io.punctual.migration.ImportReport;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Imports times that db-scheduler has written by the drivers of MariaDB and MySQL. These drivers
 * write local times, so the time of a row depends on the zone of the JVM, on the setting of
 * db-scheduler, and on options of the driver.
 */
final class DbSchedulerZoneTest {
  private static final String BERLIN = "Europe/Berlin";
  private static final String NEW_YORK = "America/New_York";
  private static final String OTHER_ZONE = "&connectionTimeZone=UTC&preserveInstants=true";

  /** Both have the local time 02:30 in Berlin. */
  private static final Set<String> TWICE = Set.of("2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z");

  private static final List<String> TIMES =
      List.of(
          "2027-03-28T00:59:59Z",
          "2027-03-28T01:30:00Z",
          "2027-03-28T02:30:00Z",
          "2027-06-01T12:00:00Z",
          "2027-10-31T00:30:00Z",
          "2027-10-31T01:30:00Z",
          "2027-10-31T02:30:00Z",
          "2027-12-01T12:00:00Z");

  private final TimeZone before = TimeZone.getDefault();
  private final OneTimeTask<Void> task = Tasks.oneTime("t").execute((instance, context) -> {});

  @AfterEach
  void restoreZone() {
    TimeZone.setDefault(before);
  }

  static Stream<Arguments> writers() {
    return Stream.of("mariadb", "mysql")
        .flatMap(
            driver ->
                Stream.of("UTC", BERLIN, NEW_YORK)
                    .flatMap(
                        zone ->
                            Stream.of(
                                Arguments.of(driver, zone, true, ""),
                                Arguments.of(driver, zone, false, ""),
                                Arguments.of(driver, zone, true, OTHER_ZONE),
                                Arguments.of(driver, zone, false, OTHER_ZONE))));
  }

  /** Writes the times, imports them without a zone and with the right zone, and compares. */
  @ParameterizedTest
  @MethodSource("writers")
  void run_timestampsOfMariaDb_areRightOrStayWithTheReason(
      String driver, String zone, boolean inUtc, String options) {
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    try (TestServer server = MariaDbServer.shared();
        Punctual punctual = Punctual.open("memory:")) {
      server.execute(DbSchedulerTables.MARIADB);
      DataSource source = new UrlSource(url(server, driver) + options);
      schedule(source, inUtc);
      TimedQueue<byte[]> queue = punctual.queue("t", Codec.bytes());
      DbSchedulerImport<byte[]> importer = DbSchedulerImport.from(source, "t").to(queue);

      ImportReport unknown = importer.run();
      assertThat(unknown.scheduled()).isZero();
      assertThat(unknown.problems())
          .hasSize(TIMES.size())
          .allMatch(problem -> problem.toString().contains("name the zone, UTC if"));

      ImportReport report = importer.zone(ZoneId.of(inUtc ? "UTC" : zone)).run();
      boolean losesTheHour = !inUtc && zone.equals(BERLIN) && options.isEmpty();
      for (String time : TIMES) {
        if (losesTheHour && TWICE.contains(time)) {
          assertThat(queue.find(time)).isEmpty();
        } else {
          assertThat(queue.find(time).orElseThrow().dueAt()).isEqualTo(time);
        }
      }
      assertThat(report.problems())
          .hasSize(losesTheHour ? 2 : 0)
          .allMatch(problem -> problem.toString().contains("occurs twice in " + BERLIN));
    }
  }

  private static String url(TestServer server, String driver) {
    String url = server.jdbcUrl();
    return driver.equals("mariadb")
        ? url
        : url.replace("jdbc:mariadb:", "jdbc:mysql:")
            .replace("sslMode=disable", "sslMode=DISABLED");
  }

  private void schedule(DataSource source, boolean inUtc) {
    SchedulerClient client =
        inUtc
            ? Scheduler.create(source, task).alwaysPersistTimestampInUTC().build()
            : SchedulerClient.Builder.create(source, task).build();
    TIMES.forEach(time -> client.scheduleIfNotExists(task.instance(time), Instant.parse(time)));
  }
}
