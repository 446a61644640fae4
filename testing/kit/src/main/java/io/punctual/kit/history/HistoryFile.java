package io.punctual.kit.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The history file of a process. {@link #accept} writes each event to the operating system before
 * it returns, so that a killed process loses at most the event that it is writing. Safe for use by
 * many threads.
 */
final class HistoryFile implements Consumer<HistoryEvent>, AutoCloseable {
  private final FileOutputStream out;

  HistoryFile(Path file) {
    try {
      out = new FileOutputStream(file.toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException("Can't write the history " + file, e);
    }
  }

  @Override
  public synchronized void accept(HistoryEvent event) {
    try {
      out.write(LineFormat.write(event).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("Can't go on with the history at " + event, e);
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
