package io.punctual.migration.sql;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes the place of Quartz's class of this name in {@link SerializedJobData}. */
@SuppressWarnings({"serial", "UnusedVariable"}) // Only deserialization sets the fields.
class DirtyFlagMap implements Serializable {
  private static final long serialVersionUID = 1433884852607126222L;

  private boolean dirty;
  private @Nullable Map<Object, Object> map;

  final @Nullable Map<Object, Object> entries() {
    return map;
  }
}
