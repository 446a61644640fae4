package io.punctual.cli.input;

import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads the URL of an option. {@code @FILE} names a file whose first line is the URL: other users
 * of the machine see the arguments of a process, but can't read the file if its owner forbids it.
 */
public final class UrlConverter implements ITypeConverter<String> {
  @Override
  public String convert(String value) {
    return value.startsWith("@") ? firstLine(value.substring(1)) : value;
  }

  private static String firstLine(String file) {
    try {
      return TextFile.read(Path.of(file))
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .findFirst()
          .orElseThrow(() -> new TypeConversionException(file + " has no line with a URL"));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("Can't read the URL from " + file + ": " + e.getMessage());
    }
  }
}
