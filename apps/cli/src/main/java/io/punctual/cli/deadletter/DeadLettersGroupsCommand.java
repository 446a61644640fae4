package io.punctual.cli.deadletter;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.view.GroupView;
import io.punctual.view.Redaction;
import io.punctual.view.Values;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "groups",
    description = "Counts dead letters by reason, class of exception, and place in the code.",
    mixinStandardHelpOptions = true)
final class DeadLettersGroupsCommand extends QueueReportCommand {
  private static final Fields<DeadLetterGroup> FIELDS =
      new Fields<DeadLetterGroup>()
          .cell("group", DeadLetterGroup::key)
          .cell("count", group -> Numbers.grouped(group.count()))
          .cell("last died", group -> Values.instant(group.lastDied()))
          .cell("sample", DeadLetterGroup::sampleId)
          .cell("failure", group -> reason(group) + ": " + group.failure())
          .view(group -> GroupView.of(group, Redaction.NONE));

  @Mixin private DeadLetterOptions selection;

  private static String reason(DeadLetterGroup group) {
    return group.reason().map(Enum::name).orElse("unknown");
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    DeadLetterGroups groups = queue.deadLetters().groups(selection.filter());
    try (Listing<DeadLetterGroup> listing = new Listing<>(console(), format(), FIELDS)) {
      groups.groups().forEach(listing::add);
      listing.end();
    }
    if (groups.others() > 0) {
      console()
          .say(
              Numbers.grouped(groups.others())
                  + " dead letters have further failures; options such as --reason show them");
    }
    return ExitCode.OK;
  }
}
