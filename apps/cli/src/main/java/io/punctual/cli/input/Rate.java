package io.punctual.cli.input;

import io.punctual.QueueLimits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A rate as people write it, such as {@code 100/s} and {@code 10/30s}.
 *
 * @param messages the number of messages
 * @param per the time in which they may be delivered
 */
public record Rate(int messages, Duration per) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})/(.+)");
  private static final Duration TENTH = Duration.ofMillis(100);

  /**
   * Parses a rate.
   *
   * @throws IllegalArgumentException if the text is not a rate
   */
  public static Rate parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a rate; write 100/s, 5/m or 10/30s");
    }
    String time = form.group(2);
    boolean isUnit = Character.isLetter(time.charAt(0)) && !time.matches("[Pp].+");
    return new Rate(Integer.parseInt(form.group(1)), TimeSpan.parse(isUnit ? "1" + time : time));
  }

  /** Writes a rate in a form that {@link #parse} reads. */
  public static String format(int messages, Duration per) {
    return messages + "/" + TimeSpan.format(per).replaceFirst("^1([a-z]+)$", "$1");
  }

  /**
   * Returns the number of messages that the rate allows in a tenth of a second, but at least one
   * and at most {@link QueueLimits#MAX_BURST}.
   */
  public int burst() {
    double tenth =
        messages * (double) TENTH.toNanos() / Math.max(1, TimeUnit.NANOSECONDS.convert(per));
    return (int) Math.max(1, Math.min(QueueLimits.MAX_BURST, tenth));
  }

  /** Reads an option's rate. */
  public static final class Converter implements ITypeConverter<Rate> {
    @Override
    public Rate convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
