package io.punctual.benchmarks.queue;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages that a process has seen. Each message is a separate write, so the log is complete
 * even if the process is killed. Safe for use by many threads.
 */
final class MessageLog implements AutoCloseable {
  private static final int RECORD = 3 * Long.BYTES;

  private final FileOutputStream out;

  /** A message, its due time, and the time when the process saw it. */
  record Row(long number, long dueMicros, long atMicros) {}

  MessageLog(Path file) throws IOException {
    out = new FileOutputStream(file.toFile(), true);
  }

  void add(long number, long dueMicros) {
    add(new Row(number, dueMicros, WallClock.micros()));
  }

  private void add(Row row) {
    byte[] record = new byte[RECORD];
    ByteBuffer.wrap(record).putLong(row.number()).putLong(row.dueMicros()).putLong(row.atMicros());
    try {
      out.write(record);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Logs the message in {@link BenchMessage#payload()}. */
  void add(byte[] payload) {
    add(row(payload));
  }

  /** The message in {@link BenchMessage#payload()}, seen now. */
  static Row row(byte[] payload) {
    ByteBuffer buffer = ByteBuffer.wrap(payload);
    return new Row(buffer.getLong(), buffer.getLong(), WallClock.micros());
  }

  /** The number of rows in a file. */
  static long count(Path file) throws IOException {
    return Files.exists(file) ? Files.size(file) / RECORD : 0;
  }

  static List<Row> read(Path file) throws IOException {
    List<Row> rows = new ArrayList<>();
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      while (true) {
        rows.add(new Row(in.readLong(), in.readLong(), in.readLong()));
      }
    } catch (EOFException end) {
      return rows;
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
