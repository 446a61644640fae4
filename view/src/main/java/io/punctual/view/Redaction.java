package io.punctual.view;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a reader may see of the contents of messages: payloads, headers, and the texts of failures.
 * Immutable.
 */
public final class Redaction {
  /** The text in place of a value that a reader may not see. */
  public static final String REDACTED = "[redacted]";

  /** Shows all contents. */
  public static final Redaction NONE = new Redaction(true, Set.of(), Set.of());

  /** Shows no payloads, headers and texts of failures, for a reader without the right to them. */
  public static final Redaction CONTENTS = new Redaction(false, Set.of(), Set.of());

  private final boolean showsContents;
  private final Set<String> headers;
  private final Set<String> fields;

  private Redaction(boolean showsContents, Set<String> headers, Set<String> fields) {
    this.showsContents = showsContents;
    this.headers = headers;
    this.fields = fields;
  }

  /**
   * Returns a redaction by name: of headers, and of fields of JSON payloads at any depth. Upper and
   * lower case make no difference. If there are names of fields, payloads that are not JSON are not
   * shown, because their fields can't be told. The texts of failures are shown.
   */
  public static Redaction of(Collection<String> headers, Collection<String> fields) {
    return headers.isEmpty() && fields.isEmpty()
        ? NONE
        : new Redaction(true, lowerCase(headers), lowerCase(fields));
  }

  private static Set<String> lowerCase(Collection<String> names) {
    return names.stream().map(Redaction::lowerCase).collect(Collectors.toUnmodifiableSet());
  }

  private static String lowerCase(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Returns whether the reader may see payloads, headers and texts of failures at all. */
  public boolean showsContents() {
    return showsContents;
  }

  /** Returns whether payloads are shown without a change. */
  boolean showsWholePayloads() {
    return showsContents && fields.isEmpty();
  }

  /** Returns the headers by name, or null if the reader may not see them. */
  @Nullable Map<String, String> headers(Map<String, String> all) {
    if (!showsContents) {
      return null;
    }
    Map<String, String> shown = new TreeMap<>(all);
    if (!headers.isEmpty()) {
      shown.replaceAll((name, value) -> headers.contains(lowerCase(name)) ? REDACTED : value);
    }
    return shown;
  }

  /** Returns a text about a failure, or null if the reader may not see it. */
  @Nullable String failure(@Nullable String text) {
    return showsContents ? text : null;
  }

  /** Returns a JSON value without the values of the redacted fields. */
  @Nullable Object json(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> shown = new LinkedHashMap<>();
      map.forEach(
          (name, inner) -> shown.put(String.valueOf(name), field(String.valueOf(name), inner)));
      return shown;
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> shown = new ArrayList<>(list.size());
      list.forEach(inner -> shown.add(json(inner)));
      return shown;
    }
    return value;
  }

  private @Nullable Object field(String name, @Nullable Object value) {
    return fields.contains(lowerCase(name)) ? REDACTED : json(value);
  }
}
