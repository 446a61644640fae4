package io.punctual.cli.input;

import io.punctual.cli.output.Json;
import io.punctual.view.PayloadView;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Converts payloads to the input of shell commands, and texts to payloads. */
public final class Payload {
  private Payload() {}

  public static boolean isJson(String text) {
    return whyNoJson(text).isEmpty();
  }

  /** Returns the syntax error of a text that begins like JSON but is not JSON. */
  public static Optional<String> whyBroken(String text) {
    boolean beginsAsJson = text.matches("(?s)\\s*[{\\[\"].*");
    return beginsAsJson ? whyNoJson(text) : Optional.empty();
  }

  private static Optional<String> whyNoJson(String text) {
    try (JsonParser json = Json.parser(text)) {
      if (json.nextToken() == null) {
        return Optional.of("it is empty");
      }
      json.skipChildren();
      json.finishToken();
      return json.nextToken() == null
          ? Optional.empty()
          : Optional.of("more follows its first value");
    } catch (JacksonException e) {
      return Optional.of(e.getOriginalMessage());
    }
  }

  /**
   * Returns the payload for a text: the text itself if it is JSON, else the text as a JSON string.
   */
  public static byte[] ofText(String text) {
    if (isJson(text)) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    StringWriter quoted = new StringWriter();
    try (JsonGenerator json = Json.generator(quoted)) {
      json.writeString(text);
    }
    return quoted.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the bytes for the standard input of a shell command: the text if the payload is a JSON
   * string, else the unchanged payload.
   */
  public static byte[] unquoted(byte[] bytes) {
    Optional<String> text = PayloadView.text(bytes).filter(Payload::isJson);
    if (text.isEmpty()) {
      return bytes;
    }
    try (JsonParser json = Json.parser(text.get())) {
      return json.nextToken() == JsonToken.VALUE_STRING
          ? json.getString().getBytes(StandardCharsets.UTF_8)
          : bytes;
    }
  }
}
