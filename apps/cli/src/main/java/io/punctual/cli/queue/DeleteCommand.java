package io.punctual.cli.queue;

import io.punctual.DeleteQueueOutcome;
import io.punctual.Punctual;
import io.punctual.cli.command.Confirmation;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.output.ExitCode;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "delete",
    description = {
      "Deletes an empty queue, with its pause and its number of partitions.",
      "",
      "Scheduling into the queue later creates it again."
    },
    mixinStandardHelpOptions = true)
public final class DeleteCommand extends StoreCommand {
  @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue's name.")
  private String queue;

  @Option(
      names = "--with-messages",
      description = "Remove all messages of the queue first, also leased ones and dead letters.")
  private boolean withMessages;

  @Mixin private Confirmation confirmation;

  @Override
  public void checkUsage() {
    if (confirmation.isMissing(console())) {
      throw wrongUsage(Confirmation.NEEDED);
    }
  }

  @Override
  public int run(Punctual punctual) throws IOException {
    String question =
        withMessages
            ? "Delete queue '" + queue + "' and all of its messages?"
            : "Delete queue '" + queue + "'?";
    if (!confirmation.isGiven(console(), question)) {
      console().say("Nothing was deleted");
      return ExitCode.FAILURE;
    }
    try {
      return report(
          withMessages ? punctual.purgeAndDeleteQueue(queue) : punctual.deleteQueue(queue),
          punctual);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private int report(DeleteQueueOutcome outcome, Punctual punctual) {
    switch (outcome) {
      case DELETED -> {
        return ExitCode.OK;
      }
      case NOT_FOUND -> {
        console().say(QueueNames.of(punctual).missing(queue));
        return ExitCode.NOT_FOUND;
      }
      default -> {
        console().say("Queue '" + queue + "' was not deleted: " + remedy());
        return ExitCode.FAILURE;
      }
    }
  }

  private String remedy() {
    return withMessages
        ? "new messages keep arriving; stop the producers and run this command again"
        : "it holds messages; remove them as well with --with-messages";
  }
}
