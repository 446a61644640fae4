package io.punctual.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits bytes into lines, numbered from 1. The reader drops the bytes of a line that has grown
 * beyond the limit without an end, and {@link #text} then refuses the line. Not thread-safe.
 */
public final class LineReader {
  /**
   * The default limit in bytes: room for a payload of the default limit, 1 MiB, and its headers.
   */
  public static final int LIMIT = 4 << 20;

  private final InputStream in;
  private final int limit;
  private byte[] buffer = new byte[1 << 16];
  private int start;
  private int end;
  private boolean atEnd;
  private boolean tooLong;
  private int lineStart;
  private int lineEnd;
  private long number;

  public LineReader(InputStream in) {
    this(in, LIMIT);
  }

  private LineReader(InputStream in, int limit) {
    this.in = in;
    this.limit = limit;
  }

  /** Receives a line with its number, or the reason why a line can't be read. */
  public interface Numbered {
    void line(long number, String text);
  }

  /**
   * Passes each line to {@code lines}, except blank lines.
   *
   * @param limit the longest line in bytes
   * @param bad receives the reason for each line that is too long, or not UTF-8
   */
  public static void forEach(InputStream in, int limit, Numbered lines, Numbered bad)
      throws IOException {
    LineReader reader = new LineReader(in, limit);
    while (reader.next()) {
      String text;
      try {
        text = reader.text();
      } catch (BadLineException e) {
        bad.line(reader.number(), String.valueOf(e.getMessage()));
        continue;
      }
      if (text != null) {
        lines.line(reader.number(), text);
      }
    }
  }

  /** Moves to the next line; returns false at the end of the input. */
  public boolean next() throws IOException {
    tooLong = false;
    int searched = 0;
    for (int newline = find(start); newline < 0; newline = find(start + searched)) {
      skipIfTooLong();
      searched = end - start;
      if (!fill()) {
        return last();
      }
    }
    take(find(start + searched));
    start = lineEnd + 1;
    return true;
  }

  private void skipIfTooLong() {
    if (end - start > limit) {
      tooLong = true;
      start = end;
    }
  }

  private boolean last() {
    if (start == end && !tooLong) {
      return false;
    }
    take(end);
    start = end;
    return true;
  }

  private void take(int to) {
    lineStart = start;
    lineEnd = to;
    number++;
  }

  private int find(int from) {
    for (int i = from; i < end; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  /** Reads more bytes into the buffer; returns false at the end of the input. */
  private boolean fill() throws IOException {
    if (atEnd) {
      return false;
    }
    System.arraycopy(buffer, start, buffer, 0, end - start);
    end -= start;
    start = 0;
    if (end == buffer.length) {
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    int read = in.read(buffer, end, buffer.length - end);
    atEnd = read < 0;
    end += Math.max(0, read);
    return !atEnd;
  }

  /** Returns whether the next line is already in the buffer, so that it is read without waiting. */
  public boolean isReady() throws IOException {
    return find(start) >= 0 || (atEnd && start < end);
  }

  public long number() {
    return number;
  }

  /** Returns the bytes of the current line, without the line feed. */
  public byte[] bytes() {
    return Arrays.copyOfRange(buffer, lineStart, lineEnd);
  }

  /**
   * Returns the current line as text, without a byte order mark, or null if it is blank.
   *
   * @throws BadLineException if the line is too long, or not UTF-8
   */
  public @Nullable String text() throws BadLineException {
    if (tooLong) {
      throw new BadLineException("is longer than " + limit + " bytes");
    }
    String text = decoded();
    if (number == 1 && text.startsWith("\ufeff")) {
      text = text.substring(1);
    }
    return text.isBlank() ? null : text;
  }

  private String decoded() throws BadLineException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(buffer, lineStart, lineEnd - lineStart))
          .toString();
    } catch (CharacterCodingException e) {
      throw new BadLineException("is not UTF-8");
    }
  }
}
