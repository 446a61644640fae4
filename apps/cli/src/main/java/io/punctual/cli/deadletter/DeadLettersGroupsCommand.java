package io.punctual.cli.deadletter;

import io.punctual.DeadLetterGroup;
import io.punctual.DeadLetterGroups;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.Numbers;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.core.JsonGenerator;

/** Groups dead letters by their failure. */
@Command(
    name = "groups",
    description = "Counts dead letters by reason, class of exception, and place in the code.",
    mixinStandardHelpOptions = true)
final class DeadLettersGroupsCommand extends QueueReportCommand {
  @Mixin private DeadLetterOptions selection;

  private record Row(DeadLetterGroup group) implements Listed {
    private String reason() {
      return group.reason().map(Enum::name).orElse("unknown");
    }

    @Override
    public List<String> cells() {
      return List.of(
          group.key(),
          Numbers.grouped(group.count()),
          Json.instant(group.lastDied()),
          group.sampleId(),
          reason() + ": " + group.failure());
    }

    @Override
    public void writeFields(JsonGenerator json) {
      json.writeStringProperty("group", group.key());
      json.writeStringProperty("reason", reason());
      json.writeStringProperty("failure", group.failure());
      json.writeNumberProperty("count", group.count());
      json.writeStringProperty("firstDied", Json.instant(group.firstDied()));
      json.writeStringProperty("lastDied", Json.instant(group.lastDied()));
      json.writeStringProperty("sampleId", group.sampleId());
    }
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    DeadLetterGroups groups = queue.deadLetters().groups(selection.filter());
    try (Listing listing =
        new Listing(console(), format(), "GROUP", "COUNT", "LAST DIED", "SAMPLE", "FAILURE")) {
      groups.groups().forEach(group -> listing.add(new Row(group)));
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
