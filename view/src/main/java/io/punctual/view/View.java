package io.punctual.view;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something as people and other programs see it. Immutable. */
public interface View {
  /**
   * Returns the fields by their names, in a stable order: texts, whole numbers and {@link
   * java.math.BigDecimal}, booleans, lists, maps, and {@link JsonText} for a payload. A field that
   * is absent is left out. The map is new, and its owner may add fields.
   */
  Map<String, @Nullable Object> tree();
}
