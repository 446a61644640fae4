package io.punctual.cli.output;

import io.punctual.view.JsonText;
import io.punctual.view.View;
import java.io.StringWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** Reads and writes JSON token by token. */
public final class Json {
  /** Numbers and strings may be as long as their line. */
  private static final TokenStreamFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNestingDepth(10_000)
                  .build())
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private Json() {}

  public static JsonParser parser(String json) {
    return FACTORY.createParser(ObjectReadContext.empty(), json);
  }

  public static JsonGenerator generator(Writer out) {
    return FACTORY.createGenerator(ObjectWriteContext.empty(), out);
  }

  public static String object(View view) {
    StringWriter text = new StringWriter(256);
    try (JsonGenerator json = generator(text)) {
      write(json, view.tree());
    }
    return text.toString();
  }

  /** Writes the fields of a view, without the braces of the object. */
  public static void writeFields(JsonGenerator json, View view) {
    view.tree().forEach((name, value) -> write(json.writeName(name), value));
  }

  private static void write(JsonGenerator json, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      map.forEach((name, inner) -> write(json.writeName(String.valueOf(name)), inner));
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      list.forEach(inner -> write(json, inner));
      json.writeEndArray();
    } else if (value instanceof JsonText raw) {
      json.writeRawValue(raw.text());
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof BigDecimal number) {
      json.writeNumber(number);
    } else if (value instanceof BigInteger number) {
      json.writeNumber(number);
    } else if (value instanceof Double number) {
      json.writeNumber(number);
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else if (value == null) {
      json.writeNull();
    } else {
      json.writeString(value.toString());
    }
  }
}
