package io.punctual.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of a {@link View#tree}. The methods that add a field leave out a value that
 * is null, and return this object. Not thread-safe.
 */
public final class Tree {
  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  /** Creates an empty tree. */
  public Tree() {}

  /** Adds a text, a number, a boolean, a list or a map. */
  public Tree put(String name, @Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
    return this;
  }

  /** Adds an instant. */
  public Tree put(String name, @Nullable Instant value) {
    return put(name, value == null ? null : (Object) Values.instant(value));
  }

  /** Adds a span as milliseconds, to the microsecond. */
  public Tree put(String name, @Nullable Duration value) {
    return put(name, value == null ? null : (Object) Values.millis(value));
  }

  /** Adds a constant by its name. */
  public Tree put(String name, @Nullable Enum<?> value) {
    return put(name, value == null ? null : (Object) value.name());
  }

  /** Adds the tree of a view. */
  public Tree put(String name, @Nullable View value) {
    return put(name, value == null ? null : (Object) value.tree());
  }

  /** Adds the trees of views. */
  public Tree putAll(String name, @Nullable Collection<? extends View> values) {
    return put(name, values == null ? null : (Object) trees(values));
  }

  /** Adds a flag if it is set. */
  public Tree flag(String name, boolean value) {
    return put(name, value ? (Object) true : null);
  }

  /** Adds the fields of a view. */
  public Tree fields(@Nullable View view) {
    if (view != null) {
      fields.putAll(view.tree());
    }
    return this;
  }

  /** Returns the fields in the order in which they were added. */
  public Map<String, @Nullable Object> toMap() {
    return fields;
  }

  /** Returns the trees of views, in their order. */
  public static List<Map<String, @Nullable Object>> trees(Collection<? extends View> views) {
    List<Map<String, @Nullable Object>> trees = new ArrayList<>(views.size());
    views.forEach(view -> trees.add(view.tree()));
    return trees;
  }

  /**
   * Returns a copy of a tree in which each {@link JsonText} is replaced by its value, for writers
   * that can't pass on JSON as a text.
   */
  public static Map<String, @Nullable Object> plain(Map<String, @Nullable Object> tree) {
    Map<String, @Nullable Object> plain = new LinkedHashMap<>();
    tree.forEach((name, value) -> plain.put(name, plain(value)));
    return plain;
  }

  private static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof JsonText json) {
      return json.value();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> plain = new LinkedHashMap<>();
      map.forEach((name, inner) -> plain.put(String.valueOf(name), plain(inner)));
      return plain;
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> plain = new ArrayList<>(list.size());
      list.forEach(inner -> plain.add(plain(inner)));
      return plain;
    }
    return value;
  }
}
