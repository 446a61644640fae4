package io.punctual.cli.input;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads the URL of an option. {@code @FILE} names a file whose first line is the URL: other users
 * of the machine see the arguments of a process, but can't read the file if its owner forbids it.
 */
public final class UrlConverter implements ITypeConverter<String> {
  private static final String BYTE_ORDER_MARK = "\ufeff";

  @Override
  public String convert(String value) {
    return value.startsWith("@") ? firstLine(value.substring(1)) : value;
  }

  private static String firstLine(String file) {
    try {
      String text = Files.readString(Path.of(file), StandardCharsets.UTF_8);
      return withoutMark(text)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .findFirst()
          .orElseThrow(() -> new TypeConversionException(file + " has no line with a URL"));
    } catch (IOException | InvalidPathException e) {
      throw new TypeConversionException("Can't read the URL from " + file + ": " + e.getMessage());
    }
  }

  /** Returns the text without the byte order mark that some editors write first. */
  public static String withoutMark(String text) {
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }
}
