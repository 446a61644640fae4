package io.punctual.migration.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** Reads the scalar fields of a JSON object. */
public final class JsonFields {
  private static final TokenStreamFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private JsonFields() {}

  /**
   * Returns the string, number and boolean fields of a JSON object as texts, or empty if the bytes
   * are not a JSON object.
   */
  public static Optional<Map<String, String>> of(byte[] json) {
    Map<String, String> fields = new LinkedHashMap<>();
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (value.isScalarValue() && value != JsonToken.VALUE_NULL) {
          fields.put(name, parser.getString());
        }
        parser.skipChildren();
      }
      return parser.nextToken() == null ? Optional.of(fields) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
