package io.punctual.cli.queue;

import io.punctual.PauseNote;
import io.punctual.TimedQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "pause",
    description = "Pauses queues for all workers in all processes: they claim no more messages.",
    mixinStandardHelpOptions = true)
public final class PauseCommand extends QueueSelectionCommand {
  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "The reason, which 'stats' and 'queues' show.")
  private String reason;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      defaultValue = "${sys:user.name}",
      description = "The name of who pauses the queue (default: the user of the system).")
  private String by;

  @Override
  public void checkUsage() {
    super.checkUsage();
    try {
      PauseNote unused = note();
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private PauseNote note() {
    return new PauseNote(reason, by);
  }

  @Override
  void change(TimedQueue<byte[]> queue) {
    queue.pause(note());
    console().say("Queue '" + queue.name() + "' is paused");
  }
}
