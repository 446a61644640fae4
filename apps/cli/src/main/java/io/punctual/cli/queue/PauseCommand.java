package io.punctual.cli.queue;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueCommand;
import io.punctual.cli.output.ExitCode;
import picocli.CommandLine.Command;

/** Pauses a queue. */
@Command(
    name = "pause",
    description = "Pauses a queue for all workers in all processes: they claim no more messages.",
    mixinStandardHelpOptions = true)
public final class PauseCommand extends QueueCommand {
  @Override
  public int run(TimedQueue<byte[]> queue) {
    queue.pause();
    console().say("Queue '" + queue.name() + "' is paused");
    return ExitCode.OK;
  }
}
