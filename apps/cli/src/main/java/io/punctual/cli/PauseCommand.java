package io.punctual.cli;

import io.punctual.TimedQueue;
import picocli.CommandLine.Command;

/** Pauses a queue. */
@Command(
    name = "pause",
    description = "Pauses a queue, for every worker in every process: nothing more is claimed.",
    mixinStandardHelpOptions = true)
final class PauseCommand extends QueueCommand {
  @Override
  int run(TimedQueue<byte[]> queue) {
    queue.pause();
    console().say("Queue '" + queue.name() + "' is paused");
    return ExitCode.OK;
  }
}
