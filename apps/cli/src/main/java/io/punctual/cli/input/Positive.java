package io.punctual.cli.input;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses whole numbers that are 1 or greater. */
public final class Positive {
  private Positive() {}

  private static long parse(String text, long largest) {
    try {
      long number = Long.parseLong(text);
      if (number >= 1 && number <= largest) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The exception below names the text.
    }
    throw new TypeConversionException(
        "'" + text + "' is not a whole number between 1 and " + largest);
  }

  /** Reads an option's number. */
  public static final class IntConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return (int) parse(text, Integer.MAX_VALUE);
    }
  }

  /** Reads an option's large number. */
  public static final class LongConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return parse(text, Long.MAX_VALUE);
    }
  }
}
