package io.punctual.cli.deadletter;

import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Groups dead letters by their failure. */
@Command(
    name = "groups",
    description = "Counts dead letters by reason, class of exception, and place in the code.",
    mixinStandardHelpOptions = true)
final class DeadLettersGroupsCommand extends QueueReportCommand {
  private static final Fields<DeadLetterGroup> FIELDS =
      new Fields<DeadLetterGroup>()
          .text("group", DeadLetterGroup::key)
          .json((json, group) -> json.writeStringProperty("reason", reason(group)))
          .json((json, group) -> json.writeStringProperty("failure", group.failure()))
          .number("count", DeadLetterGroup::count)
          .json(
              (json, group) ->
                  json.writeStringProperty("firstDied", Json.instant(group.firstDied())))
          .instant("last died", "lastDied", DeadLetterGroup::lastDied)
          .text("sample", "sampleId", DeadLetterGroup::sampleId)
          .cell("failure", group -> reason(group) + ": " + group.failure());

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
