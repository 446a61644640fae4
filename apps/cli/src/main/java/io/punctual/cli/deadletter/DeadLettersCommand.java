package io.punctual.cli.deadletter;

import io.punctual.TimedQueue;
import io.punctual.cli.command.SelectionCommand;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import io.punctual.view.Outcomes;
import io.punctual.view.TaskView;
import java.util.List;
import picocli.CommandLine.Mixin;

/** A command that changes dead letters. */
abstract class DeadLettersCommand extends SelectionCommand {
  @Mixin private DeadLetterOptions selection;

  @Override
  public final boolean isSelecting() {
    return selection.isGiven();
  }

  @Override
  public final String exampleOption() {
    return "--group";
  }

  @Override
  public final String what() {
    return "dead letters";
  }

  @Override
  public final long count(TimedQueue<byte[]> queue, long limit) {
    return queue.deadLetters().groups(selection.filter().withLimit(limit)).total();
  }

  @Override
  public final TaskView view(TaskProgress counts) {
    return TaskView.of(counts, participle());
  }

  @Override
  public final int changeEach(TimedQueue<byte[]> queue, List<String> ids) {
    DeadLetters<byte[]> letters = queue.deadLetters();
    return each(ids, id -> change(letters, id), Outcomes::of);
  }

  @Override
  public final Task<TaskProgress> start(TimedQueue<byte[]> queue, long limit, TaskOptions options) {
    return start(queue.deadLetters(), selection.filter().withLimit(limit), options);
  }

  abstract DeadLetterOutcome change(DeadLetters<byte[]> letters, String id);

  abstract Task<TaskProgress> start(
      DeadLetters<byte[]> letters, DeadLetterFilter filter, TaskOptions options);
}
