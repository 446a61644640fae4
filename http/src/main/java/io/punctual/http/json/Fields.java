package io.punctual.http.json;

import java.util.List;
import java.util.Set;

/**
 * The fields of an object.
 *
 * @param names the names, in the order of the documentation
 * @param nullable the names of the fields in which null is a value
 */
public record Fields(List<String> names, Set<String> nullable) {
  /** Copies the names. */
  public Fields {
    names = List.copyOf(names);
    nullable = Set.copyOf(nullable);
  }

  /** Returns fields in which null counts as absent. */
  public static Fields of(String... names) {
    return new Fields(List.of(names), Set.of());
  }

  /** Returns these fields, with null as a value of one of them. */
  public Fields nullable(String name) {
    return new Fields(names, Set.of(name));
  }

  boolean has(String name) {
    return names.contains(name);
  }

  boolean isNullable(String name) {
    return nullable.contains(name);
  }
}
