package io.punctual.benchmarks.queue;

import io.punctual.kit.process.ServerProcess;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** A separate beanstalkd for a trial. */
final class BeanstalkdBroker implements Broker {
  private final int port = FreePorts.next();
  private final ServerProcess server;

  private BeanstalkdBroker(List<String> options) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Program.BEANSTALKD.require().toString(), "-l", "127.0.0.1"));
    command.addAll(List.of("-p", Integer.toString(port)));
    command.addAll(options);
    server =
        ServerProcess.builder("beanstalkd")
            .command(command)
            .ready(() -> ServerProcess.accepts(port))
            .start();
  }

  static BeanstalkdBroker inMemory() {
    return new BeanstalkdBroker(List.of());
  }

  /** A beanstalkd with a journal; {@code options} set how often it is synced to disk. */
  static BeanstalkdBroker withJournal(Path directory, String... options) {
    Path journal = directory.resolve("beanstalkd");
    try {
      Files.createDirectories(journal);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> all = new ArrayList<>(List.of("-b", journal.toString()));
    all.addAll(List.of(options));
    return new BeanstalkdBroker(all);
  }

  @Override
  public String url() {
    return "beanstalkd://127.0.0.1:" + port;
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(server.cpuTime().toNanos() / 1e9);
  }

  @Override
  public OptionalDouble memoryBytes() {
    return OptionalDouble.of((double) server.residentBytes());
  }

  @Override
  public void close() {
    server.close();
  }
}
