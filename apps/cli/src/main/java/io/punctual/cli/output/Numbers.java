package io.punctual.cli.output;

import java.util.Locale;

/** Writes numbers for people and for JSON. */
public final class Numbers {
  private Numbers() {}

  /** Returns a number with its thousands separated. */
  public static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  public static String right(String text, int width) {
    return " ".repeat(Math.max(0, width - DisplayWidth.of(text))) + text;
  }

  public static String left(String text, int width) {
    return text + " ".repeat(Math.max(0, width - DisplayWidth.of(text)));
  }

  /** Returns microseconds for people: {@code 0.41 ms}, {@code 12.3 ms}, {@code 1.50 s}. */
  public static String lateness(long micros) {
    if (micros >= 1_000_000) {
      return threeDigits(micros / 1e6) + " s";
    }
    return threeDigits(micros / 1e3) + " ms";
  }

  private static String threeDigits(double value) {
    int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
