package io.punctual.cli.deadletter;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.SpiCommand;
import io.punctual.cli.input.Positive;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Numbers;
import io.punctual.migration.deadletter.DeadLetterExport;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.util.List;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes dead letters as lines of JSON. */
@Command(
    name = "export",
    description = {
      "Writes dead letters to standard output, one a line, with payload, headers, attempts and"
          + " failures. The queue does not change. 'dead-letters import' reads the lines."
    },
    mixinStandardHelpOptions = true)
final class DeadLettersExportCommand extends SpiCommand {
  @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue's name.")
  private String queue;

  @Mixin private DeadLetterOptions selection;

  @Option(
      names = "--limit",
      paramLabel = "N",
      converter = Positive.LongConverter.class,
      description = "The most dead letters to export, the oldest of a partition first.")
  private long limit = Long.MAX_VALUE;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(Store opened) {
    List<String> names = names(opened);
    if (!names.contains(queue)) {
      console().say(new QueueNames(opened.describe(), names).missing(queue));
      return ExitCode.NOT_FOUND;
    }
    long[] unreadable = {0};
    long exported =
        DeadLetterExport.of(opened, queue)
            .filter(selection.filter().withLimit(limit))
            .onUnreadable(
                (id, why) -> {
                  unreadable[0]++;
                  console().say("The dead letter '" + id + "' is left out: " + why);
                })
            .to(line -> console().out().println(console().shownJson(line)));
    console().out().flush();
    console().say("Exported " + Numbers.grouped(exported) + " dead letters");
    return unreadable[0] == 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  /** Returns the queues. A store gives no exception of its own for an answer that got lost. */
  private static List<String> names(Store opened) {
    try {
      return opened.queues().toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof PunctualException lost
          && !(lost instanceof Partition.PartitionException)) {
        throw new StoreUnavailableException(
            opened.describe() + " does not list its queues: " + lost.getMessage(), lost);
      }
      throw e;
    }
  }
}
