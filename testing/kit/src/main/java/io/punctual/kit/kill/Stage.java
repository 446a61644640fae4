package io.punctual.kit.kill;

import io.punctual.kit.history.HistoryEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a {@link Role} gets from its run.
 *
 * @param name the name of the member, unique in the run
 * @param url the URL of the store
 * @param history the file for the history of the member
 * @param seed the seed of the random choices of the member
 * @param ready reports that the member is ready, which {@link KillRun#awaitReady} waits for
 */
public record Stage(String name, String url, Path history, long seed, Runnable ready) {
  /** Opens a client that records its history, and reports that the member is ready. */
  public RecordedClient open() {
    RecordedClient client = RecordedClient.open(url, history, name);
    ready.run();
    return client;
  }

  /** Returns the number of recorded events of a kind. */
  long events(Class<? extends HistoryEvent> kind) {
    if (!Files.exists(history)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(history)) {
      return lines.filter(line -> line.startsWith(kind.getSimpleName() + " ")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
