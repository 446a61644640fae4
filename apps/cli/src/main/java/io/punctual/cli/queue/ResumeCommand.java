package io.punctual.cli.queue;

import io.punctual.TimedQueue;
import picocli.CommandLine.Command;

@Command(name = "resume", description = "Resumes paused queues.", mixinStandardHelpOptions = true)
public final class ResumeCommand extends QueueSelectionCommand {
  @Override
  void change(TimedQueue<byte[]> queue) {
    queue.resume();
    console().say("Queue '" + queue.name() + "' is resumed");
  }
}
