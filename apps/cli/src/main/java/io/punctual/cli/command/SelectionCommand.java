package io.punctual.cli.command;

import io.punctual.TimedQueue;
import io.punctual.cli.input.Positive;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.ProgressLine;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import io.punctual.view.TaskView;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A command that changes messages: those with given ids, those that options select, or all. Ctrl-C
 * ends a change of selected or all messages after the requests in flight.
 */
public abstract class SelectionCommand extends QueueReportCommand {
  private static final long REFRESH_MILLIS = 200;

  @Parameters(index = "1..*", arity = "0..*", paramLabel = "ID", description = "The messages.")
  private List<String> ids = List.of();

  @Option(names = "--all", description = "All of them.")
  private boolean all;

  @Option(
      names = "--limit",
      paramLabel = "N",
      converter = Positive.LongConverter.class,
      description = "The most to change, the oldest of a partition first.")
  private @Nullable Long limit;

  @Option(
      names = "--rate",
      paramLabel = "N",
      converter = Positive.IntConverter.class,
      description = "The most changes in a second (default: no limit).")
  private @Nullable Integer rate;

  @Option(names = "--dry-run", description = "Only count; change nothing.")
  private boolean dryRun;

  @Override
  public void checkUsage() {
    boolean selects = all || isSelecting();
    if (selects != ids.isEmpty()) {
      throw wrongUsage(
          "Name the "
              + what()
              + " by their ids, select them by options such as "
              + exampleOption()
              + ", or say --all");
    }
    if (!ids.isEmpty() && dryRun) {
      throw wrongUsage("--dry-run counts selected " + what() + "; leave out the ids");
    }
    if (!ids.isEmpty() && (limit != null || rate != null)) {
      throw wrongUsage("--limit and --rate are for selected " + what() + "; leave out the ids");
    }
  }

  @Override
  public final int run(TimedQueue<byte[]> queue) throws Exception {
    long most = limit == null ? Long.MAX_VALUE : limit;
    if (dryRun) {
      Listing.show(console(), format(), "matching", count(queue, most));
      return ExitCode.OK;
    }
    if (!mayChange(which() + " of queue '" + queue.name() + "'")) {
      console().say("Nothing was changed");
      return ExitCode.FAILURE;
    }
    if (!ids.isEmpty()) {
      return changeEach(queue, ids);
    }
    TaskOptions options = TaskOptions.DEFAULT;
    return follow(start(queue, most, rate == null ? options : options.perSecond(rate)));
  }

  private String which() {
    return all
        ? "all " + what()
        : ids.isEmpty() ? "the selected " + what() : what() + " " + String.join(", ", ids);
  }

  /** Shows the progress until the end, and then the counts. */
  private int follow(Task<TaskProgress> task) throws InterruptedException {
    CompletableFuture<?> unused = console().stop().asked().thenRun(task::cancel);
    CompletableFuture<TaskProgress> done = task.done().toCompletableFuture();
    try (ProgressLine line = ProgressLine.of(console())) {
      while (!isOver(done)) {
        TaskProgress progress = task.progress();
        line.show(
            Numbers.grouped(progress.examined())
                + " examined, "
                + Numbers.grouped(progress.matched())
                + " matching, "
                + Numbers.grouped(progress.changed())
                + " "
                + participle());
      }
    }
    TaskProgress end = task.await();
    Listing.show(
        console(),
        format(),
        new Fields<TaskProgress>()
            .cell(participle(), counts -> Numbers.grouped(counts.changed()))
            .cell("gone", counts -> some(counts.gone()))
            .cell("leased", counts -> some(counts.leased()))
            .cell("refused", counts -> some(counts.refused()))
            .view(this::view),
        end);
    return end.refused() == 0 && !end.isCancelled() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private static String some(long count) {
    return count == 0 ? "" : Numbers.grouped(count);
  }

  private static boolean isOver(CompletableFuture<?> done) throws InterruptedException {
    try {
      Object unused = done.get(REFRESH_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    }
  }

  /** Returns whether the user names a single message. */
  protected final boolean isOne() {
    return ids.size() == 1;
  }

  /** Returns whether the user names messages by their ids. */
  protected final boolean hasIds() {
    return !ids.isEmpty();
  }

  protected final boolean isDryRun() {
    return dryRun;
  }

  /**
   * Returns whether the change may be made. A change that can't be undone asks the user first;
   * {@code which} names the messages in the question.
   */
  public boolean mayChange(String which) throws IOException {
    return true;
  }

  /** Returns the counts for output as JSON. */
  public TaskView view(TaskProgress counts) {
    return TaskView.of(counts);
  }

  /** Returns whether an option selects messages. */
  public abstract boolean isSelecting();

  /** Returns an option that selects messages, for an error message. */
  public abstract String exampleOption();

  /** Returns the messages in the plural, for example {@code dead letters}. */
  public abstract String what();

  /** Returns the past participle for reports, for example {@code deleted}. */
  public abstract String participle();

  /** Counts the selected messages, up to a limit. */
  public abstract long count(TimedQueue<byte[]> queue, long limit);

  /** Changes the messages with these ids, and returns the exit code. */
  public abstract int changeEach(TimedQueue<byte[]> queue, List<String> ids);

  /** Starts to change the selected messages, up to a limit. */
  public abstract Task<TaskProgress> start(
      TimedQueue<byte[]> queue, long limit, TaskOptions options);
}
