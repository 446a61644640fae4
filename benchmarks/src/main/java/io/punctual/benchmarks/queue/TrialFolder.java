package io.punctual.benchmarks.queue;

import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The directory of a trial, with its logs, and its broker. */
record TrialFolder(Path directory, Broker broker) implements AutoCloseable {
  static TrialFolder open(Backend backend, RedisProcess redis) throws IOException {
    Path directory = Files.createTempDirectory("punctual-bench-");
    try {
      return new TrialFolder(directory, backend.open(redis, directory));
    } catch (RuntimeException e) {
      remove(directory);
      throw e;
    }
  }

  Path scheduled() {
    return directory.resolve("scheduled.log");
  }

  Path delivered() {
    return directory.resolve("delivered.log");
  }

  @Override
  public void close() throws IOException {
    broker.close();
    remove(directory);
  }

  private static void remove(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }
}
