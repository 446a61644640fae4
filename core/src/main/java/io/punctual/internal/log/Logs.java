package io.punctual.internal.log;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * The loggers of Punctual. A {@link LogThread} writes their lines, so that an appender that blocks,
 * or an output that nobody reads, holds up neither the timer nor the threads of a store. A line is
 * formatted on the thread that logs it, and stays one line whatever ids and texts of others it
 * names. No call throws, whatever the appender does. Thread-safe.
 */
public final class Logs extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1;

  @SuppressWarnings("serial") // Loggers are serialized by their names.
  private final Logger target;

  private Logs(String name) {
    this.name = name;
    this.target = LoggerFactory.getLogger(name);
  }

  /** Returns the logger of a class. */
  public static Logger of(Class<?> type) {
    return new Logs(type.getName());
  }

  /** Returns the logger with a name. */
  public static Logger of(String name) {
    return new Logs(name);
  }

  @Override
  public boolean isTraceEnabled() {
    return target.isTraceEnabled();
  }

  @Override
  public boolean isDebugEnabled() {
    return target.isDebugEnabled();
  }

  @Override
  public boolean isInfoEnabled() {
    return target.isInfoEnabled();
  }

  @Override
  public boolean isWarnEnabled() {
    return target.isWarnEnabled();
  }

  @Override
  public boolean isErrorEnabled() {
    return target.isErrorEnabled();
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable failure) {
    try {
      String text = line(MessageFormatter.basicArrayFormat(pattern, arguments));
      LogThread.SHARED.write(new LogLine(target, level, text, failure));
    } catch (Throwable noMemory) {
      LogThread.SHARED.dropped();
    }
  }

  /** Escapes line breaks and other control characters, with which a text could forge lines. */
  private static String line(String text) {
    if (text.codePoints().noneMatch(Logs::breaksLines)) {
      return text;
    }
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (breaksLines(c)) {
                line.append(c == '\n' ? "\\n" : String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                line.appendCodePoint(c);
              }
            });
    return line.toString();
  }

  private static boolean breaksLines(int c) {
    return (Character.isISOControl(c) && c != '\t') || c == '\u2028' || c == '\u2029';
  }
}
