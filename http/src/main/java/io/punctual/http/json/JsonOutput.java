package io.punctual.http.json;

import io.punctual.view.JsonText;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/** Writes JSON as UTF-8. */
public final class JsonOutput {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().recyclerPool(JsonRecyclerPools.threadLocalPool()).build();

  private JsonOutput() {}

  /** Returns what the writer writes. */
  public static byte[] bytes(Consumer<JsonGenerator> writer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json =
        FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      writer.accept(json);
    }
    return out.toByteArray();
  }

  /** Returns a tree of maps, lists, texts, numbers and booleans. */
  public static byte[] tree(Map<String, ? extends @Nullable Object> tree) {
    return bytes(json -> write(json, tree));
  }

  /** Writes a tree of maps, lists, texts, numbers and booleans. */
  public static void write(JsonGenerator json, @Nullable Object value) {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof String text) {
      json.writeString(text);
    } else if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      map.forEach(
          (name, inner) -> {
            json.writeName(String.valueOf(name));
            write(json, inner);
          });
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      list.forEach(inner -> write(json, inner));
      json.writeEndArray();
    } else if (value instanceof Long || value instanceof Integer) {
      json.writeNumber(((Number) value).longValue());
    } else if (value instanceof JsonText text) {
      json.writeRawValue(text.text());
    } else if (value instanceof BigDecimal number) {
      json.writeNumber(number.toPlainString());
    } else if (value instanceof BigInteger number) {
      json.writeNumber(number);
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else {
      json.writeString(value.toString());
    }
  }
}
