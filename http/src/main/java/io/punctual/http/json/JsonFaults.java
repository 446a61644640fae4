package io.punctual.http.json;

import io.punctual.http.text.Names;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;

/** The words for what is wrong with a JSON text. */
final class JsonFaults {
  private JsonFaults() {}

  static String describe(@Nullable JsonToken token) {
    if (token == null) {
      return "nothing";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      case VALUE_STRING -> "a text";
      case VALUE_NUMBER_INT -> "a number";
      case VALUE_NUMBER_FLOAT -> "a number with a fraction or an exponent";
      case VALUE_TRUE, VALUE_FALSE -> "true or false";
      case VALUE_NULL -> "null";
      default -> "the end of it";
    };
  }

  static String firstLine(JacksonException e) {
    String line = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
    // The parser says that it does not show the body, in words that help nobody.
    String what = line.replaceAll(" ?\\(start marker at \\[Source.*", "");
    return Names.printable(what, 150)
        + (e.getLocation() == null
            ? ""
            : " (line "
                + e.getLocation().getLineNr()
                + ", column "
                + e.getLocation().getColumnNr()
                + ")");
  }
}
