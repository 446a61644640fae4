package io.punctual.cli.input;

import io.punctual.Due;
import io.punctual.Message;
import io.punctual.cli.output.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamReadException;

/**
 * Reads a message from a line of JSON. The field {@code payload} is stored as the unchanged text of
 * its JSON value, so that numbers and escapes keep their notation; with {@code payloadText}, the
 * text of a string is stored without its quotes; {@code payloadBase64} is stored as its bytes.
 *
 * @param due the default due time of a line, or null if each line must have a due time
 * @param mayExpire whether a line may have an expiry time
 */
public record LineParser(@Nullable Due due, boolean mayExpire) {
  public Message<byte[]> parse(String line) throws BadLineException {
    try (JsonParser json = Json.parser(line)) {
      return new Fields(this, line, json).toMessage();
    } catch (StreamReadException e) {
      throw new BadLineException("is not JSON: " + e.getOriginalMessage() + where(e));
    } catch (JacksonException e) {
      throw new BadLineException("is not JSON: " + e.getOriginalMessage());
    } catch (IllegalArgumentException e) {
      throw new BadLineException("can't be scheduled: " + e.getMessage());
    }
  }

  private static String where(StreamReadException e) {
    return e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")";
  }

  private static final class Fields {
    private final LineParser rules;
    private final String line;
    private final JsonParser json;
    private final Set<String> seen = new HashSet<>();
    private @Nullable String id;
    private @Nullable Due due;
    private @Nullable Instant notAfter;
    private byte @Nullable [] payload;
    private boolean isText;
    private Map<String, String> headers = Map.of();

    Fields(LineParser rules, String line, JsonParser json) {
      this.rules = rules;
      this.line = line;
      this.json = json;
    }

    Message<byte[]> toMessage() throws BadLineException {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new BadLineException("is not a JSON object");
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (!seen.add(name)) {
          throw new BadLineException("has '" + name + "' twice");
        }
        read(name);
      }
      if (json.nextToken() != null) {
        throw new BadLineException("has more than one JSON value");
      }
      return message();
    }

    private void read(String name) throws BadLineException {
      switch (name) {
        case "id" -> id = text(name);
        case "delay" -> setDue(Due.after(TimeSpan.parse(text(name))));
        case "dueAt" -> setDue(Due.at(TimeSpan.parseInstant(text(name))));
        case "payload" -> setPayload(raw().getBytes(StandardCharsets.UTF_8));
        case "payloadText" -> isText = flag(name);
        case "payloadBase64" -> setPayload(base64(text(name)));
        case "headers" -> headers = headers();
        case "notAfter" -> notAfter = expiry(name);
        default -> throw unknown(name);
      }
    }

    private BadLineException unknown(String name) {
      return new BadLineException(
          "has an unknown field '"
              + name
              + "'; the fields are id, delay or dueAt, payload or payloadBase64, payloadText,"
              + " headers"
              + (rules.mayExpire() ? ", notAfter" : ""));
    }

    private void setPayload(byte[] named) throws BadLineException {
      if (payload != null) {
        throw new BadLineException("has both payload and payloadBase64");
      }
      payload = named;
    }

    private static byte[] base64(String text) throws BadLineException {
      try {
        return Base64.getDecoder().decode(text);
      } catch (IllegalArgumentException e) {
        throw new BadLineException("has a payloadBase64 that is not Base64");
      }
    }

    private void setDue(Due named) throws BadLineException {
      if (due != null) {
        throw new BadLineException("has both delay and dueAt");
      }
      due = named;
    }

    private Instant expiry(String name) throws BadLineException {
      if (!rules.mayExpire()) {
        throw unknown(name);
      }
      return TimeSpan.parseInstant(text(name));
    }

    private boolean flag(String name) throws BadLineException {
      return switch (json.currentToken()) {
        case VALUE_TRUE -> true;
        case VALUE_FALSE -> false;
        default -> throw new BadLineException("has a field '" + name + "' that is not a boolean");
      };
    }

    private String text(String name) throws BadLineException {
      if (json.currentToken() != JsonToken.VALUE_STRING) {
        throw new BadLineException("has a field '" + name + "' that is not a string");
      }
      return json.getString();
    }

    private String raw() {
      int from = (int) json.currentTokenLocation().getCharOffset();
      json.skipChildren();
      json.finishToken();
      return line.substring(from, (int) json.currentLocation().getCharOffset());
    }

    private Map<String, String> headers() throws BadLineException {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw new BadLineException("has headers that are not an object of strings");
      }
      Map<String, String> read = new HashMap<>();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (read.put(name, text(name)) != null) {
          throw new BadLineException("has the header '" + name + "' twice");
        }
      }
      return read;
    }

    /** Returns the payload; with {@code payloadText}, the text in its quotes. */
    private byte[] content(byte[] named) throws BadLineException {
      byte[] text = isText ? Payload.unquoted(named) : named;
      if (isText && text == named) {
        throw new BadLineException("has payloadText, but its payload is not a string");
      }
      return text;
    }

    private Message<byte[]> message() throws BadLineException {
      if (payload == null) {
        throw new BadLineException("has no payload");
      }
      Due when = due == null ? rules.due() : due;
      if (when == null) {
        throw new BadLineException("has neither delay nor dueAt");
      }
      Message<byte[]> message = Message.of(content(payload)).due(when).headers(headers);
      message = id == null ? message : message.id(id);
      message = notAfter == null ? message : message.notAfter(notAfter);
      Message.check(message);
      return message;
    }
  }
}
