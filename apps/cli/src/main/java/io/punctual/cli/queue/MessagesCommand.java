package io.punctual.cli.queue;

import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.cli.command.SelectionCommand;
import io.punctual.task.MessageChange;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** A command that changes waiting messages. */
abstract class MessagesCommand extends SelectionCommand {
  @Mixin private MessageOptions selection;

  @Override
  public void checkUsage() {
    if (selection.isOfOtherState()) {
      throw wrongUsage("--state is scheduled or ready; only waiting messages can be selected");
    }
    super.checkUsage();
    if (change() instanceof MessageChange.RunNow
        && selection.filter().state().equals(Optional.of(State.READY))) {
      throw wrongUsage("Ready messages are due already; leave out --state");
    }
  }

  @Override
  public final boolean isSelecting() {
    return selection.isGiven();
  }

  @Override
  public final String exampleOption() {
    return "--due-before";
  }

  @Override
  public final String what() {
    return "waiting messages";
  }

  @Override
  public final long count(TimedQueue<byte[]> queue, long limit) {
    return start(queue, limit, TaskOptions.DEFAULT.dryRun()).await().matched();
  }

  @Override
  public final Task<TaskProgress> start(TimedQueue<byte[]> queue, long limit, TaskOptions options) {
    return queue.change(selection.filter().withLimit(limit), change(), options);
  }

  /** Returns the change of selected messages. */
  abstract MessageChange change();
}
