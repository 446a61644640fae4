package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.ExitCode;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the command without a broker. The tests of module punctual-rabbitmq have a broker. */
@Timeout(180)
class RabbitmqIntakeCommandTest {
  private static final String REQUIRED =
      "queue=orders\nsource=orders\ntarget=orders.due\ntarget-type=direct\n";
  private static final String BROKER = "broker=amqp://guest:secret@127.0.0.1:1\n";

  @TempDir private Path folder;
  private final Cli cli = new Cli();

  private Cli.Result run(String config) throws IOException {
    Path file = Files.writeString(folder.resolve("intake.properties"), config);
    return cli.run("rabbitmq-intake", "--config", file.toString());
  }

  private String store() {
    return "store=journal:" + folder.resolve("journal") + "\n";
  }

  private void assertRefused(String config, String reason) throws IOException {
    Cli.Result result = run(config);
    assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains(reason).doesNotContain("secret");
  }

  @Test
  void wrongConfig_isRefusedWithTheKey() throws IOException {
    String good = BROKER + REQUIRED + store();
    assertRefused(
        good + "pre-fetch=3\n", "intake.properties: unknown key pre-fetch; known: broker");
    assertRefused(good + "queue=b\n", "the key queue is there twice");
    assertRefused(BROKER + store() + "queue=q\n", "the key source is missing");
    assertRefused(good + "prefetch=many\n", "prefetch: 'many' is not a number");
    assertRefused(good + "prefetch=0\n", "prefetch: prefetch must be between 1 and 65535");
    assertRefused(good + "declare=yes\n", "declare: 'yes' is neither true nor false");
    assertRefused(good + "source-type=direct\n", "source-type: The type of the source exchange");
    assertRefused(good + "queue-type=stream\n", "queue-type: The type of the intake queue");
    assertRefused(good + "confirm-timeout=soon\n", "confirm-timeout: 'soon' is not a span of time");
    assertRefused(
        good.replace("target=orders.due", "target=orders"), "must be different exchanges");
    assertRefused(good + "x=\\u12\n", "intake.properties: Malformed \\uxxxx encoding");
    assertRefused(REQUIRED + store(), "PUNCTUAL_RABBITMQ is not set");
    assertRefused(
        "broker=http://guest:secret@host\n" + REQUIRED + store(), "broker must be a URL such as");
  }

  @Test
  void fileBeginsWithAByteOrderMark_itsFirstKeyIsKnown() throws IOException {
    assertRefused("\ufeff" + BROKER + REQUIRED, "Which store?");
  }

  @Test
  void storeIsMissingOrNotDurable_isRefused() throws IOException {
    assertRefused(BROKER + REQUIRED, "Which store?");
    assertRefused(BROKER + REQUIRED + "store=memory:\n", "needs a durable store");
  }

  @Test
  void fileIsMissing_isRefused() {
    Cli.Result result = cli.run("rabbitmq-intake", "--config", folder.resolve("none") + "");
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("Can't read", "none: there is no such file");
  }

  @Test
  void brokerIsAway_waitsForIt_andEndsWhenAsked() throws IOException {
    cli.stop.ask();
    String broker;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      broker = "amqp://guest:secret@127.0.0.1:" + socket.getLocalPort();
    }
    cli.environment.put("PUNCTUAL_RABBITMQ", broker);
    Cli.Result result = run(REQUIRED + store());
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.err())
        .contains("Delays messages from exchange 'orders' to exchange 'orders.due'")
        .doesNotContain("secret");
  }

  @Test
  void brokerIsAway_oneLineNamesTheAddressAndWhatToDo() throws Exception {
    try (ServerSocket away = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + away.getLocalPort();
      String broker = "broker=amqp://guest:secret@" + address + "\n";
      Path config =
          Files.writeString(folder.resolve("intake.properties"), broker + REQUIRED + store());
      Path log = folder.resolve("log");
      Process process =
          CommandProcess.with("rabbitmq-intake", "--config", config.toString())
              .launch(Redirect.to(log.toFile()));
      try {
        // The two connections of the intake fail six times in all.
        for (int i = 0; i < 6; i++) {
          away.accept().close();
        }
      } finally {
        process.destroyForcibly();
      }
      int unused = process.waitFor();
      List<String> lines = Files.readAllLines(log);
      assertThat(lines).filteredOn(line -> line.contains("can't connect to RabbitMQ")).hasSize(1);
      assertThat(lines)
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("Check that RabbitMQ runs at " + address)
                      .contains("tries again about every second"))
          .noneMatch(line -> line.startsWith("\tat "))
          .noneMatch(line -> line.contains("secret"));
    }
  }
}
