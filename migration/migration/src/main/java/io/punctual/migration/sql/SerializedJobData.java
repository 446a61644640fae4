package io.punctual.migration.sql;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the JobDataMap of Quartz from Java serialization, without Quartz's classes. The classes
 * {@link JobDataMap}, {@link StringKeyDirtyFlagMap} and {@link DirtyFlagMap} take the place of
 * Quartz's classes of the same simple names. A filter refuses all other classes, except {@code
 * HashMap} and the classes of plain values such as {@code String}, before an object of them exists.
 */
final class SerializedJobData {
  private static final int MAX_DEPTH = 10;
  private static final int MAX_REFERENCES = 100_000;

  private SerializedJobData() {}

  private static final Map<String, Class<?>> STAND_INS =
      Map.of(
          "org.quartz.utils.DirtyFlagMap", DirtyFlagMap.class,
          "org.quartz.utils.StringKeyDirtyFlagMap", StringKeyDirtyFlagMap.class,
          "org.quartz.JobDataMap", JobDataMap.class);

  private static List<String> names() {
    return STAND_INS.values().stream().map(Class::getName).toList();
  }

  private static final class Input extends ObjectInputStream {
    Input(byte[] data) throws IOException {
      super(new ByteArrayInputStream(data));
      setObjectInputFilter(
          ObjectInputFilter.Config.createFilter(
              "maxdepth="
                  + MAX_DEPTH
                  + ";maxrefs="
                  + MAX_REFERENCES
                  + ";maxarray="
                  + MAX_REFERENCES
                  + ";"
                  + String.join(";", names())
                  + ";java.util.HashMap;java.util.Map$Entry;java.lang.String;java.lang.Number;"
                  + "java.lang.Integer;java.lang.Long;java.lang.Short;java.lang.Float;"
                  + "java.lang.Double;java.lang.Boolean;java.lang.Character;java.lang.Object;!*"));
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      Class<?> standIn = STAND_INS.get(description.getName());
      return standIn == null ? super.resolveClass(description) : standIn;
    }
  }

  /**
   * Returns the entries of a serialized JobDataMap.
   *
   * @throws IOException if the bytes are no such map, or have an object that the filter refuses
   */
  static Map<String, Object> read(byte[] data) throws IOException {
    try (ObjectInputStream in = new Input(data)) {
      Map<String, Object> entries = new TreeMap<>();
      if (in.readObject() instanceof DirtyFlagMap map && map.entries() != null) {
        map.entries().forEach((key, value) -> entries.put(String.valueOf(key), value));
        return entries;
      }
      throw new IOException("its data is no JobDataMap");
    } catch (ClassNotFoundException | RuntimeException e) {
      throw new IOException("its data has values that are not read: " + e.getMessage(), e);
    }
  }
}
