package io.punctual.cli.transfer;

import io.punctual.PunctualException;
import io.punctual.cli.command.ConsoleCommand;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.UrlConverter;
import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.OutputOption;
import io.punctual.cli.output.ProgressLine;
import io.punctual.migration.copy.CopiedQueue;
import io.punctual.migration.copy.CopyProgress;
import io.punctual.migration.copy.CopyRefusedException;
import io.punctual.migration.copy.LeasedMessages;
import io.punctual.migration.copy.MissingQueueException;
import io.punctual.migration.copy.SourceQueues;
import io.punctual.migration.copy.StoreCopy;
import io.punctual.migration.copy.TargetQueues;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "copy",
    description = "Copies queues with all messages to another store, and verifies the copy.",
    mixinStandardHelpOptions = true)
public final class CopyCommand extends ConsoleCommand {
  @Option(
      names = "--from",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description = "The store to read, or @FILE: a file with its URL.")
  private String from;

  @Option(
      names = "--to",
      paramLabel = "URL",
      converter = UrlConverter.class,
      required = true,
      description = "The store to fill, or @FILE: a file with its URL.")
  private String to;

  @Option(
      names = "--queue",
      paramLabel = "QUEUE",
      description = "A queue to copy; may be repeated (default: all queues).")
  private List<String> queues = List.of();

  @Option(
      names = "--pause",
      description =
          "Pause the queues of the source, and leave them paused. Without this option they must be"
              + " paused, except in a journal, which this command then has for itself.")
  private boolean pause;

  @Option(
      names = "--unpaused",
      description =
          "Copy queues that are not paused. Messages that change meanwhile are differences.")
  private boolean unpaused;

  @Option(
      names = "--leased",
      paramLabel = "TREATMENT",
      defaultValue = "refuse",
      completionCandidates = EnumNames.LeasedTreatments.class,
      description = {
        "refuse to copy while a message is leased; wait until none is; or copy leased messages as"
            + " waiting messages, which can run them twice (default: ${DEFAULT-VALUE})."
      })
  private LeasedMessages leased;

  @Option(
      names = "--continue",
      description = "Continue a copy that ended half way: the target may have messages of it.")
  private boolean continues;

  @Option(
      names = "--merge",
      description = "Add to queues in use: messages with an id that the target has are kept.")
  private boolean merges;

  @Mixin private OutputOption output;

  @Override
  public void checkUsage() {
    if (pause && unpaused) {
      throw wrongUsage("--pause and --unpaused contradict each other");
    }
    if (continues && merges) {
      throw wrongUsage("--continue and --merge contradict each other");
    }
    if (from.equals(to)) {
      throw wrongUsage("--from and --to name the same store");
    }
  }

  @Override
  public int execute() {
    StoreUrl source = parsed(from);
    StoreUrl target = parsed(to);
    WheelTimer timer = WheelTimer.create();
    try (Store reading = open(source, true, timer);
        Store writing = open(target, false, timer)) {
      return copy(reading, writing, isOwned(source));
    } finally {
      timer.close();
    }
  }

  private StoreUrl parsed(String url) {
    try {
      return StoreUrl.parse(url);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private Store open(StoreUrl url, boolean mustExist, WheelTimer timer) {
    try {
      if (mustExist) {
        StoreCommand.requireStore(url);
      }
      return Stores.open(url, timer);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Whether no other process can change the store, because this process has opened it. */
  private static boolean isOwned(StoreUrl url) {
    return url.scheme().equals("journal") && url.option("access").isEmpty();
  }

  private int copy(Store source, Store target, boolean owned) {
    console().out().ignoreReaderGone();
    List<CopiedQueue> copied;
    try (ProgressLine line = ProgressLine.of(console())) {
      copied =
          StoreCopy.between(source, target)
              .queues(queues)
              .sourceQueues(sourceQueues(owned))
              .leasedMessages(leased)
              .targetQueues(targetQueues())
              .onProgress(progress -> goOn(progress, line))
              .run();
    } catch (StoppedException e) {
      console().say(e.getMessage() + "; repeat it with " + (merges ? "--merge" : "--continue"));
      return ExitCode.FAILURE;
    } catch (MissingQueueException e) {
      console().say(e.getMessage() + "; " + QueueNames.existing(e.queue(), e.existing()));
      return ExitCode.NOT_FOUND;
    } catch (CopyRefusedException e) {
      throw e;
    } catch (PunctualException e) {
      console()
          .say(
              merges
                  ? "The copy has ended half way; repeat it with --merge"
                  : "The copy has ended half way; repeat it with --continue");
      throw e;
    }
    if (copied.isEmpty()) {
      console().say(source.describe() + " has no queues; nothing was copied");
    }
    try (Listing<CopiedQueue> listing =
        new Listing<>(console(), output.format(), CopiedRow.FIELDS)) {
      copied.forEach(listing::add);
      listing.end();
    }
    copied.forEach(this::explain);
    if (copied.isEmpty()) {
      return ExitCode.NOT_FOUND;
    }
    return copied.stream().allMatch(CopiedQueue::isEqual) ? ExitCode.OK : ExitCode.FAILURE;
  }

  /** The user has ended the copy. */
  private static final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StoppedException(String message) {
      super(message);
    }
  }

  private void goOn(CopyProgress progress, ProgressLine line) {
    if (console().stop().isAsked()) {
      throw new StoppedException("The copy was stopped at: " + text(progress));
    }
    line.show(text(progress));
  }

  private SourceQueues sourceQueues(boolean owned) {
    if (pause) {
      return SourceQueues.PAUSE;
    }
    return unpaused || owned ? SourceQueues.AS_THEY_ARE : SourceQueues.REQUIRE_PAUSED;
  }

  private TargetQueues targetQueues() {
    if (merges) {
      return TargetQueues.MERGE;
    }
    return continues ? TargetQueues.CONTINUE : TargetQueues.REQUIRE_EMPTY;
  }

  private static String text(CopyProgress progress) {
    String done = Numbers.grouped(progress.messages());
    String of = progress.expected() == 0 ? "" : " of " + Numbers.grouped(progress.expected());
    return String.format(
        Locale.ROOT, "%s  %s  %s%s", progress.queue(), EnumNames.of(progress.step()), done, of);
  }

  private void explain(CopiedQueue queue) {
    queue
        .firstDifferences()
        .forEach(
            difference ->
                console()
                    .say(
                        String.format(
                            Locale.ROOT,
                            "%s: '%s' %s",
                            queue.queue(),
                            difference.id(),
                            difference.what())));
    long more = queue.differences() + queue.keptDifferent() - queue.firstDifferences().size();
    if (more > 0) {
      console()
          .say(String.format(Locale.ROOT, "%s: %s more", queue.queue(), Numbers.grouped(more)));
    }
    if (queue.paused()) {
      console()
          .say(
              String.format(
                  Locale.ROOT,
                  "Queue '%s' of the target is paused; resume it when its workers may begin",
                  queue.queue()));
    }
  }
}
