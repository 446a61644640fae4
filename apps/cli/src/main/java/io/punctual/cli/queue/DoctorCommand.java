package io.punctual.cli.queue;

import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.cli.command.QueueNames;
import io.punctual.cli.command.StoreUrlCommand;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputOption;
import io.punctual.view.Cause;
import io.punctual.view.Diagnosis;
import io.punctual.view.Evidence;
import java.time.Clock;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says why a queue is late. */
@Command(
    name = "doctor",
    description = {
      "Says why a queue is late, and what to do.",
      "",
      "The exit code is 1 if messages are late. To learn if the store refuses changes, the command"
          + " cancels a message that does not exist; a journal is only read."
    },
    mixinStandardHelpOptions = true)
public final class DoctorCommand extends StoreUrlCommand {
  private static final Fields<Diagnosis> FIELDS =
      new Fields<Diagnosis>()
          .cell("queue", Diagnosis::queue)
          .cell("late", diagnosis -> diagnosis.late() ? "yes" : "no")
          .cell(
              "cause",
              diagnosis -> diagnosis.cause().name().toLowerCase(Locale.ROOT).replace('_', ' '))
          .cell("reason", Diagnosis::reason)
          .cell("next", Diagnosis::next)
          .view(diagnosis -> diagnosis);

  @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue's name.")
  private String queue;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "The number of partitions that the application asks for.")
  private @Nullable Integer partitions;

  @Mixin private OutputOption output;

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public int execute() {
    Instant now = Clock.systemUTC().instant();
    Evidence evidence;
    try (Punctual punctual = openStore()) {
      QueueNames names = QueueNames.of(punctual);
      if (!names.contain(queue)) {
        console().say(names.missing(queue));
        return ExitCode.NOT_FOUND;
      }
      evidence = Evidence.collect(punctual, queue, plan(punctual), now);
    } catch (StoreUnavailableException | StoreRefusedException e) {
      evidence = Evidence.ofOutage(queue, e, now);
    }
    Diagnosis diagnosis = Diagnosis.of(evidence);
    Listing.show(console(), output.format(), FIELDS, diagnosis);
    return diagnosis.cause() == Cause.STORE_AWAY
        ? ExitCode.STORE_UNREACHABLE
        : diagnosis.late() ? ExitCode.FAILURE : ExitCode.OK;
  }

  /** Other processes do not see the workers of a journal, and can only read it. */
  private Evidence.Plan plan(Punctual punctual) {
    boolean isShared = !UnworkedQueues.isOfOneProcess(punctual);
    return new Evidence.Plan(
        partitions == null ? OptionalInt.empty() : OptionalInt.of(partitions), isShared, isShared);
  }
}
