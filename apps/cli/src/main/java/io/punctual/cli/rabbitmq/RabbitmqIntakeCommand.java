package io.punctual.cli.rabbitmq;

import io.punctual.Punctual;
import io.punctual.cli.command.ConsoleCommand;
import io.punctual.cli.command.StoreOption;
import io.punctual.cli.output.ExitCode;
import io.punctual.rabbitmq.RabbitIntake;
import io.punctual.spi.StoreUrl;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs an intake, which delays messages of RabbitMQ, until the user ends the command. */
@Command(
    name = "rabbitmq-intake",
    description = {
      "Delays messages of RabbitMQ by their header x-delay, in the place of the delayed-message"
          + " plugin, until a signal ends the command. Messages that publishers send to the source"
          + " exchange are stored, and published to the target exchange when they are due.",
      "",
      "The config file has lines of the form key=value:%n",
      "  broker=amqp://user:password@host:5672/vhost",
      "      else the variable PUNCTUAL_RABBITMQ",
      "  store=redis://localhost:6379",
      "      the store; --store takes precedence",
      "  queue=orders",
      "      the queue that stores the messages",
      "  source=orders, source-type=fanout",
      "      the exchange of the publishers: fanout, topic or headers",
      "  target=orders.due, target-type=direct",
      "      the exchange of the consumers: any type",
      "  intake-queue=orders.intake, queue-type=quorum",
      "      between source and intake; quorum or classic",
      "  prefetch=1000, in-flight=256",
      "      messages on their way to the store, and to the target",
      "  declare=true",
      "      false: all exchanges and queues exist already",
      "  message-ids=true",
      "      false: the property message-id does not become the id",
      "  mandatory=true",
      "      false: messages that no queue receives are dropped",
      "  confirm-timeout=30s",
      "      how long to wait for a confirmation of RabbitMQ",
      "",
      "The keys queue, source, target and target-type are required."
    },
    mixinStandardHelpOptions = true)
public final class RabbitmqIntakeCommand extends ConsoleCommand {
  private static final Duration GRACE = Duration.ofSeconds(8);

  @Mixin private StoreOption store;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The config file.")
  private Path file;

  @Override
  public int execute() {
    try {
      IntakeConfig config = IntakeConfig.read(file, console().environment());
      try (Punctual punctual = console().stores().open(url(config))) {
        run(config, punctual);
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
    return ExitCode.OK;
  }

  private String url(IntakeConfig config) {
    String url =
        store
            .given()
            .or(config::store)
            .or(() -> store.url(console().environment()))
            .orElseThrow(
                () ->
                    wrongUsage(
                        "Which store? Name it by --store URL, or as 'store=URL' in " + file));
    if (StoreUrl.parse(url).scheme().equals("memory")) {
      throw wrongUsage("An intake needs a durable store, but the store is " + url);
    }
    return url;
  }

  private void run(IntakeConfig config, Punctual punctual) {
    try (RabbitIntake intake = config.intake(punctual).start()) {
      console()
          .say(
              "Delays messages from exchange '"
                  + config.source()
                  + "' to exchange '"
                  + config.target()
                  + "', in queue '"
                  + config.queue()
                  + "' of "
                  + punctual.store());
      console().stop().asked().join();
      intake.close(GRACE);
    }
  }
}
