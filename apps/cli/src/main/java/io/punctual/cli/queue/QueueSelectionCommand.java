package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreCommand;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.output.ExitCode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that does the same to each of several queues. */
abstract class QueueSelectionCommand extends StoreCommand {
  @Parameters(arity = "0..*", paramLabel = "QUEUE", description = "The names of the queues.")
  private List<String> queues = List.of();

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = {
        "All queues whose names begin with this text; '' for all queues. Queues that are created"
            + " later are not affected."
      })
  private @Nullable String prefix;

  abstract void change(TimedQueue<byte[]> queue);

  @Override
  public void checkUsage() {
    if (queues.isEmpty() == (prefix == null)) {
      throw wrongUsage("Name queues, or a --prefix");
    }
  }

  @Override
  public final int run(Punctual punctual) {
    QueueNames existing = QueueNames.of(punctual);
    for (String queue : queues) {
      if (!existing.contain(queue)) {
        console().say(existing.missing(queue));
        return ExitCode.NOT_FOUND;
      }
    }
    List<String> selected = prefix == null ? queues : existing.beginningWith(prefix);
    if (selected.isEmpty()) {
      console().say("No queue of " + existing.store() + " begins with '" + prefix + "'");
      return ExitCode.NOT_FOUND;
    }
    selected.forEach(queue -> change(punctual.queue(queue, new RawCodec())));
    return ExitCode.OK;
  }
}
