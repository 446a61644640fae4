package io.punctual.cli.input;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Properties;

/** Reads files that the user names or edits. */
public final class TextFile {
  private static final String BYTE_ORDER_MARK = "\ufeff";

  private TextFile() {}

  /**
   * Returns the text of a file in UTF-8, without the byte order mark that some editors write first.
   *
   * @throws IllegalArgumentException if the file can't be read; the message has no name of the file
   */
  static String read(Path file) {
    try {
      String text = Files.readString(file);
      return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    } catch (IOException e) {
      throw new IllegalArgumentException(reason(e), e);
    }
  }

  /** Returns the reason in words, because the message of some exceptions is only a path. */
  private static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    } else if (failure instanceof AccessDeniedException) {
      return "access is denied";
    } else if (failure instanceof CharacterCodingException) {
      return "it is not UTF-8";
    }
    return String.valueOf(failure.getMessage());
  }

  /**
   * Adds the lines {@code key=value} of a file.
   *
   * @throws IllegalArgumentException if the file can't be read, or a line is wrong; the message
   *     names the file
   */
  public static void load(Path file, Properties into) {
    String text;
    try {
      text = read(file);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("Can't read " + file + ": " + e.getMessage(), e);
    }
    try {
      into.load(new StringReader(text));
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }
}
