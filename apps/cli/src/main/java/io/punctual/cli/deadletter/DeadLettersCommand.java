package io.punctual.cli.deadletter;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.ProgressLine;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterProgress;
import io.punctual.deadletter.DeadLetterTask;
import io.punctual.deadletter.DeadLetters;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A command that changes dead letters: the dead letters with given ids, the dead letters that the
 * options select, or all. Ctrl-C ends a change of selected or all dead letters after the requests
 * in flight.
 */
abstract class DeadLettersCommand extends QueueReportCommand {
  private static final long REFRESH_MILLIS = 200;

  @Parameters(index = "1..*", arity = "0..*", paramLabel = "ID", description = "The messages.")
  private List<String> ids = List.of();

  @Option(names = "--all", description = "All dead letters of the queue.")
  private boolean all;

  @Mixin private DeadLetterOptions selection;

  @Option(
      names = "--limit",
      paramLabel = "N",
      converter = Positive.LongConverter.class,
      description = "The most dead letters to change, the oldest of a partition first.")
  private @Nullable Long limit;

  @Option(
      names = "--rate",
      paramLabel = "N",
      converter = Positive.IntConverter.class,
      description = "The most changes in a second (default: no limit).")
  private @Nullable Integer rate;

  @Option(names = "--dry-run", description = "Only count the dead letters; change nothing.")
  private boolean dryRun;

  @Override
  public void checkUsage() {
    boolean selects = all || selection.isGiven();
    if (selects != ids.isEmpty()) {
      throw wrongUsage(
          "Name the dead letters by their ids, select them by options such as --group, or say"
              + " --all");
    }
    if (!ids.isEmpty() && dryRun) {
      throw wrongUsage("--dry-run counts selected dead letters; leave out the ids");
    }
    if (!ids.isEmpty() && (limit != null || rate != null)) {
      throw wrongUsage("--limit and --rate are for selected dead letters; leave out the ids");
    }
  }

  @Override
  public final int run(TimedQueue<byte[]> queue) throws Exception {
    DeadLetters<byte[]> letters = queue.deadLetters();
    DeadLetterFilter filter = selection.filter().withLimit(limit == null ? Long.MAX_VALUE : limit);
    if (dryRun) {
      Listing.show(console(), format(), "matching", letters.groups(filter).total());
      return ExitCode.OK;
    }
    if (!mayChange(which() + " of queue '" + queue.name() + "'")) {
      console().say("Nothing was changed");
      return ExitCode.FAILURE;
    }
    if (ids.isEmpty()) {
      return follow(start(letters, filter, rate == null ? DeadLetters.UNLIMITED : rate));
    }
    return each(
        ids, DeadLetterOutcome.DONE, DeadLetterOutcome.NOT_FOUND, id -> change(letters, id));
  }

  private String which() {
    return all
        ? "all dead letters"
        : ids.isEmpty() ? "the selected dead letters" : "dead letters " + String.join(", ", ids);
  }

  /** Shows the progress until the end, and then the counts. */
  private int follow(DeadLetterTask task) throws InterruptedException {
    CompletableFuture<?> unused = console().stop().asked().thenRun(task::cancel);
    CompletableFuture<DeadLetterProgress> done = task.done().toCompletableFuture();
    try (ProgressLine line = ProgressLine.of(console())) {
      while (!isOver(done)) {
        DeadLetterProgress progress = task.progress();
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
    DeadLetterProgress end = task.await();
    Listing.show(
        console(),
        format(),
        new Fields<DeadLetterProgress>()
            .number(participle(), DeadLetterProgress::changed)
            .cell("gone", counts -> some(counts.gone()))
            .json("gone", DeadLetterProgress::gone)
            .cell("refused", counts -> some(counts.refused()))
            .json("refused", DeadLetterProgress::refused),
        end);
    return end.refused() == 0 && !end.cancelled() ? ExitCode.OK : ExitCode.FAILURE;
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

  /** Returns whether the user names a single dead letter. */
  final boolean isOne() {
    return ids.size() == 1;
  }

  final boolean isDryRun() {
    return dryRun;
  }

  /**
   * Returns whether the change may be made. A change that can't be undone asks the user first;
   * {@code which} names the dead letters in the question.
   */
  boolean mayChange(String which) throws IOException {
    return true;
  }

  /** Returns the past participle for reports, for example {@code deleted}. */
  abstract String participle();

  abstract DeadLetterOutcome change(DeadLetters<byte[]> letters, String id);

  abstract DeadLetterTask start(DeadLetters<byte[]> letters, DeadLetterFilter filter, int rate);
}
