package io.punctual.cli.queue;

import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.message.MessageEntry;
import io.punctual.cli.output.ExitCode;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows all fields of a message.",
    mixinStandardHelpOptions = true)
public final class ShowCommand extends QueueReportCommand {
  @Parameters(index = "1", paramLabel = "ID", description = "The message.")
  private String id;

  @Option(names = "--raw", description = "Write the payload only, byte for byte.")
  private boolean raw;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public void checkUsage() {
    if (raw && isGiven("--output")) {
      throw wrongUsage("--raw writes the payload only; leave out --raw or -o");
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    Optional<StoredMessage<byte[]>> found = queue.find(id);
    if (found.isEmpty()) {
      console().say("Queue '" + queue.name() + "' has no message '" + id + "'");
      return ExitCode.NOT_FOUND;
    }
    if (raw) {
      console().out().write(found.get().payloadBytes());
      console().out().flush();
      return ExitCode.OK;
    }
    MessageEntry.show(console(), format(), found.get());
    return ExitCode.OK;
  }
}
