package io.punctual.cli.input;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A copy of the whole input in a temporary file, checked line by line on the way. */
public final class Spool implements AutoCloseable {
  private final Path file;
  private long badLines;

  /** Receives the bad lines. */
  public interface Complaint {
    void bad(long line, String why);
  }

  private Spool(Path file) {
    this.file = file;
  }

  /** Copies the input to its end. */
  public static Spool of(LineReader lines, LineParser parser, Complaint complaint)
      throws IOException {
    Spool spool = new Spool(Files.createTempFile("punctual-pipe-", ".ndjson"));
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(spool.file))) {
      while (lines.next()) {
        spool.check(lines, parser, complaint);
        out.write(lines.bytes());
        out.write('\n');
      }
      return spool;
    } catch (IOException | RuntimeException e) {
      spool.close();
      throw e;
    }
  }

  private void check(LineReader lines, LineParser parser, Complaint complaint) {
    try {
      String text = lines.text();
      if (text != null) {
        Object unused = parser.parse(text);
      }
    } catch (BadLineException e) {
      badLines++;
      complaint.bad(lines.number(), String.valueOf(e.getMessage()));
    }
  }

  public long badLines() {
    return badLines;
  }

  public InputStream open() throws IOException {
    return Files.newInputStream(file);
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
