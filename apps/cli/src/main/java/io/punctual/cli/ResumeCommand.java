package io.punctual.cli;

import io.punctual.TimedQueue;
import picocli.CommandLine.Command;

/** Resumes a queue. */
@Command(
    name = "resume",
    description = "Resumes a queue that was paused.",
    mixinStandardHelpOptions = true)
final class ResumeCommand extends QueueCommand {
  @Override
  int run(TimedQueue<byte[]> queue) {
    queue.resume();
    console().say("Queue '" + queue.name() + "' goes on");
    return ExitCode.OK;
  }
}
