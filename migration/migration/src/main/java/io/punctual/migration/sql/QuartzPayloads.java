package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * Payloads made of the data of jobs: the entries of the job and of its trigger. An entry of the
 * trigger replaces the job's entry of the same name.
 */
public final class QuartzPayloads {
  private static final TokenStreamFactory JSON = JsonFactory.builder().build();
  private static final int SERIALIZED = 0xAC;

  private QuartzPayloads() {}

  /**
   * Returns a conversion into JSON objects of strings. It reads data in the form of properties
   * ({@code org.quartz.jobStore.useProperties}), and refuses Java serialization.
   */
  public static QuartzPayload<byte[]> json() {
    return job -> json(job, false);
  }

  /**
   * Like {@link #json()}, and also reads Java serialization, so that the objects can also have
   * numbers and booleans. A filter admits maps of strings, numbers, booleans and characters only,
   * so that the data cannot run code; a job with other entries stays with Quartz.
   */
  public static QuartzPayload<byte[]> jsonOfSerialized() {
    return job -> json(job, true);
  }

  private static byte[] json(QuartzJob job, boolean serialized) throws IOException {
    Map<String, Object> entries = new TreeMap<>(entries(job.jobData(), serialized));
    entries.putAll(entries(job.triggerData(), serialized));
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      for (Map.Entry<String, Object> entry : entries.entrySet()) {
        json.writeName(entry.getKey());
        write(json, entry.getKey(), entry.getValue());
      }
      json.writeEndObject();
    }
    return text.toString().getBytes(UTF_8);
  }

  private static void write(JsonGenerator json, String name, @Nullable Object value)
      throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof Integer || value instanceof Long || value instanceof Short) {
      json.writeNumber(((Number) value).longValue());
    } else if (value instanceof Double || value instanceof Float) {
      json.writeNumber(((Number) value).doubleValue());
    } else if (value instanceof String || value instanceof Character) {
      json.writeString(value.toString());
    } else {
      throw new IOException(
          "the entry '" + name + "' is neither a string nor a number nor a boolean");
    }
  }

  private static Map<String, Object> entries(byte[] data, boolean serialized) throws IOException {
    Map<String, Object> entries = new TreeMap<>();
    if (data.length == 0) {
      return entries;
    }
    if ((data[0] & 0xFF) != SERIALIZED) {
      Properties properties = new Properties();
      properties.load(new ByteArrayInputStream(data));
      properties
          .stringPropertyNames()
          .forEach(key -> entries.put(key, properties.getProperty(key)));
      return entries;
    }
    if (!serialized) {
      throw new IOException(
          "its data is in Java serialization, which is not read unless you ask for it");
    }
    return SerializedJobData.read(data);
  }
}
