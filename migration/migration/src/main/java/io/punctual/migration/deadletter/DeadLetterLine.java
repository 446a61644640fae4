package io.punctual.migration.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Failure;
import io.punctual.internal.message.FailureLog;
import io.punctual.migration.message.MessageImage;
import io.punctual.spi.Content;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * A dead letter as a line of JSON, from which all bytes of the dead letter can be restored. A
 * payload that is not JSON on one line is written in Base64 as the property {@code payloadBase64}.
 * A history that the other properties can't reproduce exactly, for example because a different
 * version recorded it, is written in Base64 as {@code historyBase64}. Stateless.
 */
final class DeadLetterLine {
  static final int FORMAT = 1;

  /**
   * Reads and writes lines. Allows deeper nesting than for a payload, because a line contains its
   * payload.
   */
  static final TokenStreamFactory LINES = factory(1100);

  private static final TokenStreamFactory PAYLOADS = factory(1000);

  private static final DateTimeFormatter INSTANT =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private DeadLetterLine() {}

  private static TokenStreamFactory factory(int nestingDepth) {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNumberLength(Integer.MAX_VALUE)
                .maxStringLength(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .maxNestingDepth(nestingDepth)
                .build())
        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
        .build();
  }

  /** Returns the line of a dead letter, without a line break. */
  static String of(MessageImage image) {
    StringWriter line = new StringWriter(512);
    try (JsonGenerator json = LINES.createGenerator(ObjectWriteContext.empty(), line)) {
      json.writeStartObject();
      json.writeNumberProperty("format", FORMAT);
      json.writeStringProperty("id", image.id());
      json.writeStringProperty("dueAt", instant(image.dueMillis()));
      Content content = Objects.requireNonNull(image.content(), "content");
      if (content.createdMillis() != Content.UNKNOWN) {
        json.writeStringProperty("createdAt", instant(content.createdMillis()));
      }
      if (content.notAfterMillis() != Content.ALWAYS) {
        json.writeStringProperty("notAfter", instant(content.notAfterMillis()));
      }
      json.writeNumberProperty("attempts", image.attempts());
      json.writeStringProperty("diedAt", instant(image.diedAtMillis()));
      write(json, image.history());
      json.writeObjectPropertyStart("headers");
      content.headers().forEach(json::writeStringProperty);
      json.writeEndObject();
      writePayload(json, content.payload());
      json.writeEndObject();
    }
    return line.toString();
  }

  /**
   * Parses a line.
   *
   * @throws IllegalArgumentException if the line is not the line of a dead letter; its message is
   *     the rest of a sentence, such as "is not JSON"
   */
  static MessageImage parse(String line) {
    return new DeadLetterFields(line).image();
  }

  private static String instant(long millis) {
    return INSTANT.format(Instant.ofEpochMilli(millis));
  }

  private static void write(JsonGenerator json, byte[] history) {
    if (history.length == 0) {
      return;
    }
    FailureLog log = FailureLog.of(history);
    if (!isWritable(log) || !Arrays.equals(log.toBytes(), history)) {
      json.writeStringProperty("historyBase64", Base64.getEncoder().encodeToString(history));
      return;
    }
    if (log.reason() != null) {
      json.writeStringProperty("deadReason", log.reason().name());
    }
    write(json, "reason", log.detail());
    write(json, "origin", log.origin());
    json.writeNumberProperty("failed", log.total());
    json.writeArrayPropertyStart("failures");
    for (Failure failure : log.last()) {
      json.writeStartObject();
      json.writeNumberProperty("attempt", failure.attempt());
      json.writeStringProperty("at", instant(failure.at().toEpochMilli()));
      json.writeStringProperty("error", failure.error());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (log.occurrenceMillis() != null) {
      json.writeStringProperty("occurrence", instant(log.occurrenceMillis()));
    }
  }

  private static void write(JsonGenerator json, String name, @Nullable String text) {
    if (text != null) {
      json.writeStringProperty(name, text);
    }
  }

  /** Returns whether the texts have no lone surrogates, which UTF-8 can't represent. */
  private static boolean isWritable(FailureLog log) {
    return Stream.concat(
            Stream.of(
                log.detail() == null ? "" : log.detail(), log.origin() == null ? "" : log.origin()),
            log.last().stream().map(Failure::error))
        .allMatch(text -> UTF_8.newEncoder().canEncode(text));
  }

  private static void writePayload(JsonGenerator json, byte[] payload) {
    String text = text(payload);
    if (text != null && isJsonOnOneLine(text)) {
      json.writeName("payload");
      json.writeRawValue(text);
    } else {
      json.writeStringProperty("payloadBase64", Base64.getEncoder().encodeToString(payload));
    }
  }

  private static @Nullable String text(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /**
   * Returns whether a text is a single JSON value without line breaks and without surrounding
   * spaces.
   */
  private static boolean isJsonOnOneLine(String text) {
    boolean isPlain =
        text.indexOf('\n') < 0
            && text.indexOf('\r') < 0
            && !text.startsWith("\ufeff")
            && text.strip().equals(text);
    if (!isPlain) {
      return false;
    }
    try (JsonParser json = PAYLOADS.createParser(ObjectReadContext.empty(), text)) {
      if (json.nextToken() == null) {
        return false;
      }
      json.skipChildren();
      json.finishToken();
      return json.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    }
  }
}
