package io.punctual.httpstore.wire;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes and reads the values of a type. Immutable. */
abstract class Form {
  /** Writes a value of the type. */
  abstract void write(JsonGenerator out, Object value);

  /** Reads the value that begins at the current token, up to its last token. */
  abstract Object read(Input in);

  /** Returns the value of a component that is absent, or null if the type has no default. */
  @Nullable Object absent() {
    return null;
  }

  /** Returns whether the value need not be written, because it is the default of the type. */
  boolean isAbsent(Object value) {
    return value.equals(absent());
  }
}
