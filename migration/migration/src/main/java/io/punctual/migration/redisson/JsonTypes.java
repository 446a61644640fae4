package io.punctual.migration.redisson;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.core.json.JsonFactory;

/**
 * Removes the names of classes from JSON, without loading a class. Numbers keep their digits. Safe
 * for use by many threads.
 */
final class JsonTypes {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String PROPERTY = "@class";

  /** The name of a class in a package, or of an array of such a class or of a primitive type. */
  private static final Pattern CLASS =
      Pattern.compile(
          "\\[+[ZBCSIJFD]|(?:\\[+L)?(?:[\\p{javaJavaIdentifierStart}]"
              + "[\\p{javaJavaIdentifierPart}]*\\.)+\\p{Lu}[\\p{javaJavaIdentifierPart}]*;?");

  private JsonTypes() {}

  /**
   * Returns the JSON without the names of classes.
   *
   * @throws tools.jackson.core.JacksonException if the bytes are not JSON
   * @throws IllegalArgumentException if the bytes have no JSON value, or more than one
   */
  static String removed(byte[] json) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new IllegalArgumentException("There is no JSON in it");
      }
      String text = value(parser, first);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("There is more than one JSON value in it");
      }
      return text;
    }
  }

  private static String value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> quoted(parser.getString());
      default -> parser.getString();
    };
  }

  private static String object(JsonParser parser) {
    StringBuilder text = new StringBuilder("{");
    boolean isFirst = true;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      boolean isType = isFirst && token == JsonToken.VALUE_STRING && name.equals(PROPERTY);
      if (!isType) {
        text.append(text.length() == 1 ? "" : ",").append(quoted(name)).append(':');
        text.append(value(parser, token));
      }
      isFirst = false;
    }
    return text.append('}').toString();
  }

  private static String array(JsonParser parser) {
    List<String> elements = new ArrayList<>();
    boolean mayBeWrapper = false;
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (elements.isEmpty() && token == JsonToken.VALUE_STRING) {
        mayBeWrapper = CLASS.matcher(parser.getString()).matches();
      }
      elements.add(value(parser, token));
    }
    return mayBeWrapper && elements.size() == 2
        ? elements.get(1)
        : "[" + String.join(",", elements) + "]";
  }

  private static String quoted(String text) {
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsCharArray(text)) + '"';
  }
}
