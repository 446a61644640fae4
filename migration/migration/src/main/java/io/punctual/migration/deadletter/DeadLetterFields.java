package io.punctual.migration.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Failure;
import io.punctual.Limits;
import io.punctual.State;
import io.punctual.deadletter.DeadReason;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.migration.message.MessageImage;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** Reads the fields of a {@link DeadLetterLine}. An instance reads a single line. */
final class DeadLetterFields {
  private final String line;
  private final Set<String> seen = new HashSet<>();
  private @Nullable String id;
  private @Nullable Long dueMillis;
  private @Nullable Long diedAtMillis;
  private long notAfterMillis = Content.ALWAYS;
  private long createdMillis = Content.UNKNOWN;
  private int attempts;
  private int failed;
  private @Nullable DeadReason deadReason;
  private @Nullable String reason;
  private @Nullable String origin;
  private @Nullable Long occurrenceMillis;
  private List<Failure> failures = List.of();
  private byte @Nullable [] history;
  private byte @Nullable [] payload;
  private Map<String, String> headers = Map.of();

  DeadLetterFields(String line) {
    this.line = line;
  }

  MessageImage image() {
    try (JsonParser json = DeadLetterLine.LINES.createParser(ObjectReadContext.empty(), line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("is not a JSON object");
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (!seen.add(name)) {
          throw new IllegalArgumentException("has '" + name + "' twice");
        }
        read(name, json);
      }
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("has more than one JSON value");
      }
    } catch (JacksonException e) {
      throw new IllegalArgumentException("is not JSON: " + e.getOriginalMessage(), e);
    }
    return checked();
  }

  private void read(String name, JsonParser json) {
    switch (name) {
      case "format" -> requireFormat(number(json, name));
      case "id" -> id = text(json, name);
      case "dueAt" -> dueMillis = millis(json, name);
      case "notAfter" -> notAfterMillis = millis(json, name);
      case "createdAt" -> createdMillis = millis(json, name);
      case "diedAt" -> diedAtMillis = millis(json, name);
      case "attempts" -> attempts = number(json, name);
      case "deadReason" -> deadReason = deadReason(text(json, name));
      case "reason" -> reason = text(json, name);
      case "origin" -> origin = text(json, name);
      case "failed" -> failed = number(json, name);
      case "failures" -> failures = failures(json);
      case "occurrence" -> occurrenceMillis = millis(json, name);
      case "historyBase64" -> history = base64(json, name);
      case "headers" -> headers = headers(json);
      case "payload" -> payload = raw(json).getBytes(UTF_8);
      case "payloadBase64" -> payload = base64(json, name);
      default -> throw new IllegalArgumentException("has an unknown field '" + name + "'");
    }
  }

  private static void requireFormat(int format) {
    if (format != DeadLetterLine.FORMAT) {
      throw new IllegalArgumentException(
          "has format " + format + ", and this version reads format " + DeadLetterLine.FORMAT);
    }
  }

  private static int number(JsonParser json, String name) {
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw new IllegalArgumentException("has a field '" + name + "' that is not a whole number");
    }
    int value = json.getIntValue();
    if (value < 0) {
      throw new IllegalArgumentException("has a field '" + name + "' below 0");
    }
    return value;
  }

  private static String text(JsonParser json, String name) {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      throw new IllegalArgumentException("has a field '" + name + "' that is not a string");
    }
    return json.getString();
  }

  private static long millis(JsonParser json, String name) {
    try {
      return DueTime.instantMillis(Instant.parse(text(json, name)));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("has a field '" + name + "' that is not an instant", e);
    }
  }

  private static byte[] base64(JsonParser json, String name) {
    try {
      return Base64.getDecoder().decode(text(json, name));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("has a field '" + name + "' that is not Base64", e);
    }
  }

  private static DeadReason deadReason(String name) {
    try {
      return DeadReason.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("has an unknown deadReason '" + name + "'", e);
    }
  }

  private String raw(JsonParser json) {
    int from = (int) json.currentTokenLocation().getCharOffset();
    json.skipChildren();
    json.finishToken();
    return line.substring(from, (int) json.currentLocation().getCharOffset());
  }

  private static Map<String, String> headers(JsonParser json) {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException("has headers that are not an object of strings");
    }
    Map<String, String> read = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      json.nextToken();
      if (read.put(name, text(json, name)) != null) {
        throw new IllegalArgumentException("has the header '" + name + "' twice");
      }
    }
    return read;
  }

  private static List<Failure> failures(JsonParser json) {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new IllegalArgumentException("has failures that are not an array");
    }
    List<Failure> read = new ArrayList<>();
    while (json.nextToken() == JsonToken.START_OBJECT) {
      read.add(failure(json));
    }
    if (read.size() > Byte.MAX_VALUE) {
      throw new IllegalArgumentException("has more than " + Byte.MAX_VALUE + " failures");
    }
    return read;
  }

  private static Failure failure(JsonParser json) {
    int attempt = 0;
    Instant at = Instant.EPOCH;
    String error = "";
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "attempt" -> attempt = number(json, name);
        case "at" -> at = Instant.ofEpochMilli(millis(json, name));
        case "error" -> error = text(json, name);
        default -> throw new IllegalArgumentException("has a failure with '" + name + "'");
      }
    }
    return new Failure(attempt, at, error);
  }

  private MessageImage checked() {
    if (!seen.contains("format")) {
      throw new IllegalArgumentException("has no format; it is not the line of an export");
    }
    if (id == null || dueMillis == null || diedAtMillis == null) {
      throw new IllegalArgumentException("needs an id, a dueAt and a diedAt");
    }
    if (diedAtMillis < 1) {
      throw new IllegalArgumentException("has a diedAt that is not after 1970");
    }
    if (payload == null || (seen.contains("payload") && seen.contains("payloadBase64"))) {
      throw new IllegalArgumentException("needs either payload or payloadBase64");
    }
    if (payload.length > Limits.MAX_PAYLOAD_BYTES) {
      throw new IllegalArgumentException(
          "has a payload of more than " + Limits.MAX_PAYLOAD_BYTES + " bytes");
    }
    try {
      Checks.id(id);
      Checks.headers(RecurrenceHeaders.ofUser(headers));
      return MessageImage.of(
          new Entry(
              id,
              State.DEAD,
              new Content(payload, headers, notAfterMillis, createdMillis),
              dueMillis,
              attempts,
              history(),
              0,
              false,
              diedAtMillis,
              null));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("is not valid: " + e.getMessage(), e);
    }
  }

  private byte[] history() {
    boolean hasFailures = seen.contains("failures") || deadReason != null;
    if (history != null && hasFailures) {
      throw new IllegalArgumentException("it has both historyBase64 and failures");
    }
    if (history != null) {
      return history;
    }
    if (!hasFailures) {
      return new byte[0];
    }
    try {
      return new FailureLog(failed, failures, deadReason, reason, origin, occurrenceMillis)
          .toBytes();
    } catch (UncheckedIOException e) {
      throw new IllegalArgumentException("a text of its failures is too long", e);
    }
  }
}
