package io.punctual.cli.input;

import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A copy of the whole input in a temporary file. Each line is checked while it is copied. The file
 * is unlinked as soon as it is open (on Windows: when it is closed), so that no data remains on the
 * disk.
 */
public final class Spool implements AutoCloseable {
  private final FileChannel file;
  private long badLines;

  /** Receives the bad lines. */
  public interface Complaint {
    void bad(long line, String why);
  }

  private Spool(FileChannel file) {
    this.file = file;
  }

  /** Copies the input to its end. */
  public static Spool of(LineReader lines, LineParser parser, Complaint complaint)
      throws IOException {
    Path path = Files.createTempFile("punctual-pipe-", ".ndjson");
    Spool spool = new Spool(FileChannel.open(path, READ, WRITE, DELETE_ON_CLOSE));
    try {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(spool.file));
      while (lines.next()) {
        spool.check(lines, parser, complaint);
        out.write(lines.bytes());
        out.write('\n');
      }
      out.flush();
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

  /** Returns the copy from its start. To be called only once. */
  public InputStream open() throws IOException {
    return Channels.newInputStream(file.position(0));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
