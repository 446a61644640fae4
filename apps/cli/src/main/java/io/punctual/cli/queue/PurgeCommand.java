package io.punctual.cli.queue;

import io.punctual.Counts;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.cli.command.Confirmation;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.EnumNames;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "purge",
    description = "Removes the messages in these states for good.",
    mixinStandardHelpOptions = true)
public final class PurgeCommand extends QueueReportCommand {
  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      defaultValue = "scheduled,ready",
      completionCandidates = EnumNames.States.class,
      description = {
        "scheduled, ready, leased, dead, finished, or several of them (default: ${DEFAULT-VALUE})."
            + " Workers can't settle leased messages any more after that. finished forgets the ids"
            + " of finished messages."
      })
  private List<State> states;

  @Mixin private Confirmation confirmation;

  @Override
  public void checkUsage() {
    if (confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) throws IOException {
    String named = states.stream().map(EnumNames::of).collect(Collectors.joining(" and "));
    String question = "Remove all " + named + " messages of queue '" + queue.name() + "'?";
    if (!confirmation.isGiven(console(), question)) {
      console().say("Nothing was removed");
      return ExitCode.FAILURE;
    }
    long before = count(queue);
    CompletableFuture<Long> purge =
        queue.async().purge(EnumSet.copyOf(states)).toCompletableFuture();
    CompletableFuture.anyOf(purge.exceptionally(failure -> 0L), console().stop().asked()).join();
    if (!purge.isDone()) {
      console()
          .say(
              String.format(
                  Locale.ROOT,
                  "Stopped: about %s of %s messages were removed. Run the command again to remove"
                      + " the rest; for a minute the answer may be that another purge is running",
                  Numbers.grouped(Math.max(0, before - count(queue))),
                  Numbers.grouped(before)));
      return ExitCode.FAILURE;
    }
    Listing.show(console(), format(), "removed", purge.join());
    return ExitCode.OK;
  }

  private long count(TimedQueue<byte[]> queue) {
    Counts counts = queue.counts();
    return states.stream()
        .distinct()
        .mapToLong(
            state ->
                switch (state) {
                  case SCHEDULED -> counts.scheduled();
                  case READY -> counts.ready();
                  case LEASED -> counts.leased();
                  case DEAD -> counts.dead();
                  case FINISHED -> counts.finished();
                })
        .sum();
  }
}
