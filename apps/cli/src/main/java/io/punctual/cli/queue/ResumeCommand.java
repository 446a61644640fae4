package io.punctual.cli.queue;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueCommand;
import io.punctual.cli.output.ExitCode;
import picocli.CommandLine.Command;

/** Resumes a queue. */
@Command(name = "resume", description = "Resumes a paused queue.", mixinStandardHelpOptions = true)
public final class ResumeCommand extends QueueCommand {
  @Override
  public int run(TimedQueue<byte[]> queue) {
    queue.resume();
    console().say("Queue '" + queue.name() + "' is resumed");
    return ExitCode.OK;
  }
}
