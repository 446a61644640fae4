package io.punctual.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.benchmarks.http.HttpSubject;
import io.punctual.benchmarks.journal.JournalSubject;
import io.punctual.benchmarks.locks.LockSubject;
import io.punctual.benchmarks.memory.MemorySubject;
import io.punctual.benchmarks.queue.QueueSubject;
import io.punctual.benchmarks.redis.RedisSubject;
import io.punctual.benchmarks.report.HtmlReport;
import io.punctual.benchmarks.report.JsonReport;
import io.punctual.benchmarks.report.TableReport;
import io.punctual.benchmarks.timer.TimerSubject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code ./bench}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures Punctual beside its peers, in alternating rounds.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Punctual ran, and lost nothing and had nothing early",
      "1:it did not, or nothing was measured"
    })
public final class Bench implements Callable<Integer> {
  enum SubjectName {
    timers,
    queue,
    locks,
    memory,
    journal,
    redis,
    http
  }

  @Parameters(description = "What to compare: ${COMPLETION-CANDIDATES}")
  private SubjectName subject;

  @Option(names = "--quick", description = "About two minutes: for soundness, not for figures")
  private boolean quick;

  @Option(names = "--rounds", description = "How many rounds; by default 2 when quick, else 5")
  private int rounds;

  @Option(
      names = "--only",
      defaultValue = "",
      description = "Only trials whose 'workload, contender' contains this regular expression")
  private Pattern only;

  @Option(
      names = "--out",
      defaultValue = "target/bench",
      description = {
        "Where the report, the JSON lines and the measured journals go;",
        "report and lines are written after each trial;",
        "by default ${DEFAULT-VALUE}"
      })
  private Path out;

  @Option(
      names = "--server",
      description = "The program of the Redis or Valkey server; by default the one on the path")
  private @Nullable Path server;

  private Bench() {}

  /** Runs the command. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Bench()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (server != null) {
      RedisServer.use(server);
    }
    Effort effort = quick ? Effort.QUICK : Effort.FULL;
    try (Subject opened = open(effort)) {
      List<Trial> trials =
          opened.trials().stream()
              .filter(trial -> only.matcher(trial.title() + ", " + trial.contender()).find())
              .toList();
      Report report =
          new Rounds(subject.name(), quick, opened, trials)
              .run(rounds > 0 ? rounds : effort.choose(2, 5), this::write);
      write(report);
      print(report);
      return report.isSound() ? 0 : 1;
    }
  }

  private Subject open(Effort effort) {
    return switch (subject) {
      case timers -> new TimerSubject(effort);
      case queue -> QueueSubject.open(effort);
      case locks -> new LockSubject(effort);
      case memory -> new MemorySubject(effort);
      case journal -> new JournalSubject(effort, out);
      case redis -> new RedisSubject(effort);
      case http -> new HttpSubject(effort, out);
    };
  }

  /**
   * Writes the results so far to the HTML and JSON files. Called after each trial, so that an
   * interrupted run keeps the results of its complete trials.
   */
  private void write(Report report) throws IOException {
    Files.createDirectories(out);
    replace(html(), HtmlReport.render(report));
    replace(json(), JsonReport.render(report));
  }

  private static void replace(Path file, String text) throws IOException {
    Path written = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  private Path html() {
    return out.resolve(subject + ".html");
  }

  private Path json() {
    return out.resolve(subject + ".jsonl");
  }

  private void print(Report report) {
    PrintStream text = new PrintStream(System.out, true, UTF_8);
    text.println(TableReport.render(report));
    text.println(html().toAbsolutePath());
    text.println(json().toAbsolutePath());
  }
}
