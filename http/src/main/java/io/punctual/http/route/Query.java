package io.punctual.http.route;

import io.punctual.http.text.BadInputException;
import io.punctual.http.text.Names;
import io.punctual.http.text.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parameters of a query, each at most once. Immutable. */
public final class Query {
  private final Map<String, String> values;

  private Query(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Reads a query.
   *
   * @param known the names of the parameters
   * @throws BadInputException if the query is not valid, or has an unknown name or a name twice
   */
  static Query of(@Nullable String query, List<String> known) {
    Map<String, String> values = new LinkedHashMap<>();
    if (query != null && !query.isEmpty()) {
      for (String part : query.split("&", -1)) {
        int equals = part.indexOf('=');
        int end = equals < 0 ? part.length() : equals;
        String name = Segments.decode(part, 0, end, true);
        String value = equals < 0 ? "" : Segments.decode(part, equals + 1, part.length(), true);
        if (!known.contains(name)) {
          throw Names.unknown("query parameter", name, known);
        }
        if (values.put(name, value) != null) {
          throw bad(name, "occurs more than once");
        }
      }
    }
    return new Query(values);
  }

  /** Returns the text of a parameter; empty if it is absent or empty. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name)).filter(value -> !value.isEmpty());
  }

  /** Returns the text of a parameter that must be there. */
  public String required(String name) {
    return text(name).orElseThrow(() -> bad(name, "is required"));
  }

  /** Returns a whole number. */
  public Optional<Long> number(String name, long least, long most) {
    return text(name)
        .map(
            text -> {
              String range = "must be a whole number from " + least + " to " + most;
              try {
                long number = Long.parseLong(text);
                if (number < least || number > most) {
                  throw bad(name, range);
                }
                return number;
              } catch (NumberFormatException e) {
                throw bad(name, range);
              }
            });
  }

  /** Returns the size of a page: up to 1000, 100 by default. */
  public int limit() {
    return number("limit", 1, 1000).orElse(100L).intValue();
  }

  /** Returns whether a flag is set: {@code true}, or its name without a value. */
  public boolean flag(String name) {
    String value = values.get(name);
    if (value == null || value.equals("false")) {
      return false;
    }
    if (!value.isEmpty() && !value.equals("true")) {
      throw bad(name, "must be true or false");
    }
    return true;
  }

  /** Returns an instant. */
  public Optional<Instant> instant(String name) {
    return text(name).map(text -> named(name, () -> Times.instant(text)));
  }

  /** Returns a duration. */
  public Optional<Duration> duration(String name) {
    return text(name).map(text -> named(name, () -> Times.duration(text)));
  }

  /** Returns a constant in any case of letters. */
  public <E extends Enum<E>> Optional<E> constant(String name, Class<E> type) {
    return text(name)
        .map(
            text ->
                Arrays.stream(type.getEnumConstants())
                    .filter(constant -> constant.name().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> bad(name, "must be one of " + names(type))));
  }

  private static <E extends Enum<E>> String names(Class<E> type) {
    return String.join(
        ", ",
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList());
  }

  private static <T> T named(String name, java.util.function.Supplier<T> value) {
    try {
      return value.get();
    } catch (BadInputException e) {
      throw bad(name, String.valueOf(e.getMessage()));
    }
  }

  private static BadInputException bad(String name, String fault) {
    return new BadInputException("The query parameter " + name + ": " + fault);
  }
}
