package io.punctual.cli.output;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/**
 * Standard output, buffered, as UTF-8. Unlike a {@link java.io.PrintStream} it reports a closed
 * reader. Not thread-safe.
 */
public final class Stdout {
  private final OutputStream out;
  private final BooleanSupplier readerGone;
  private boolean ignoresReaderGone;

  public Stdout(OutputStream out) {
    this(out, () -> false);
  }

  /**
   * Creates an output.
   *
   * @param readerGone returns whether the reader is known to be gone
   */
  public Stdout(OutputStream out, BooleanSupplier readerGone) {
    this.out = new BufferedOutputStream(out, 1 << 16);
    this.readerGone = readerGone;
  }

  /** Returns whether the reader is known to be gone, so that a write would fail. */
  public boolean isReaderGone() {
    return readerGone.getAsBoolean();
  }

  /**
   * From now on, discards the output if its reader is gone, instead of failing. For commands that
   * must finish their work and report their exit code even without a reader.
   */
  public void ignoreReaderGone() {
    ignoresReaderGone = true;
  }

  /**
   * Thrown if the reader of the output is gone, such as {@code head} after its last line; the
   * command can then end.
   */
  public static final class ReaderGoneException extends UncheckedIOException {
    private static final long serialVersionUID = 1L;

    ReaderGoneException(IOException cause) {
      super(cause);
    }
  }

  public void print(String text) {
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  public void println(String line) {
    print(line + "\n");
  }

  public void write(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      fail(e);
    }
  }

  public void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      fail(e);
    }
  }

  private void fail(IOException e) {
    String why = String.valueOf(e.getMessage());
    boolean closed = why.contains("Broken pipe") || why.contains("pipe is being closed");
    if (!closed) {
      throw new UncheckedIOException(e);
    } else if (!ignoresReaderGone) {
      throw new ReaderGoneException(e);
    }
  }
}
