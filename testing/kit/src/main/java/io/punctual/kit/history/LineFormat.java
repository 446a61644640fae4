package io.punctual.kit.history;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Events as lines of text:
 *
 * <pre>
 * line   = name *(" " field) LF
 * name   = the simple name of the event's record
 * field  = number | "true" | "false" | constant | text | absent
 * text   = "'" *(safe | "%" hex hex)        percent-encoded UTF-8; the quote tells empty from absent
 * safe   = an ASCII letter or digit, or a character of SAFE
 * absent = "-"
 * </pre>
 *
 * <p>A constant is the name of an enum constant. The fields are the record's components, in their
 * order. Stateless.
 */
final class LineFormat {
  private static final String SAFE = "._~:/@+,;=()-";
  private static final Map<String, Class<?>> EVENTS = new HashMap<>();

  static {
    collect(HistoryEvent.class);
  }

  private LineFormat() {}

  private static void collect(Class<?> sealed) {
    for (Class<?> permitted : sealed.getPermittedSubclasses()) {
      if (permitted.isRecord()) {
        EVENTS.put(permitted.getSimpleName(), permitted);
      } else {
        collect(permitted);
      }
    }
  }

  /** Returns the event as a line, line feed included. */
  static String write(HistoryEvent event) {
    StringBuilder line = new StringBuilder(event.getClass().getSimpleName());
    try {
      for (RecordComponent component : event.getClass().getRecordComponents()) {
        line.append(' ');
        append(line, component.getAccessor().invoke(event));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Can't read " + event, e);
    }
    return line.append('\n').toString();
  }

  /**
   * Returns the event of a line.
   *
   * @param line the line without its line feed
   * @throws IllegalArgumentException if the line is not an event
   */
  static HistoryEvent read(String line) {
    String[] parts = line.split(" ", -1);
    Class<?> type = EVENTS.get(parts[0]);
    if (type == null || type.getRecordComponents().length != parts.length - 1) {
      throw new IllegalArgumentException("Not an event of a history: " + line);
    }
    RecordComponent[] components = type.getRecordComponents();
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(components[i].getType(), parts[i + 1]);
    }
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return (HistoryEvent) type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("Not an event of a history: " + line, e);
    }
  }

  private static void append(StringBuilder line, @Nullable Object value) {
    if (value == null) {
      line.append('-');
    } else if (value instanceof String text) {
      appendText(line.append('\''), text);
    } else if (value instanceof Enum<?> constant) {
      line.append(constant.name());
    } else {
      line.append(value);
    }
  }

  private static void appendText(StringBuilder line, String text) {
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if (c < 0x80 && (Character.isLetterOrDigit(c) || SAFE.indexOf(c) >= 0)) {
        line.append(c);
      } else {
        line.append('%')
            .append(Character.forDigit(c >> 4, 16))
            .append(Character.forDigit(c & 15, 16));
      }
    }
  }

  private static @Nullable Object value(Class<?> type, String field) {
    if (field.equals("-")) {
      return null;
    } else if (type == String.class) {
      return text(field);
    } else if (type == long.class) {
      return Long.valueOf(field);
    } else if (type == int.class) {
      return Integer.valueOf(field);
    } else if (type == boolean.class) {
      return Boolean.valueOf(field);
    }
    return constant(type, field);
  }

  private static Object constant(Class<?> type, String name) {
    for (Object constant : type.getEnumConstants()) {
      if (((Enum<?>) constant).name().equals(name)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(name + " is no " + type.getSimpleName());
  }

  private static String text(String field) {
    ByteArrayOutputStream utf8 = new ByteArrayOutputStream(field.length());
    for (int i = 1; i < field.length(); i++) {
      if (field.charAt(i) == '%') {
        utf8.write(Integer.parseInt(field.substring(i + 1, i + 3), 16));
        i += 2;
      } else {
        utf8.write(field.charAt(i));
      }
    }
    return utf8.toString(StandardCharsets.UTF_8);
  }
}
