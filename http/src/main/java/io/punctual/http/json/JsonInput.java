package io.punctual.http.json;

import io.punctual.http.text.BadInputException;
import io.punctual.http.text.Names;
import io.punctual.http.text.Times;
import io.punctual.http.text.TooLargeInputException;
import io.punctual.http.text.Utf8;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/**
 * Reads one JSON value. Refuses what readers understand differently: fields that occur twice,
 * unknown fields, halves of surrogate pairs, bytes that are not UTF-8, and a text after the value.
 * Refuses what is too large while it reads, before it takes memory for it. Every method throws
 * {@link BadInputException}. A field that is null counts as absent, unless the reader of the object
 * allows it. Not thread-safe.
 */
public final class JsonInput implements AutoCloseable {
  /** The deepest nesting of objects and arrays. */
  public static final int MOST_DEPTH = 100;

  /** The longest text that is no payload, in bytes. */
  private static final int MOST_TEXT = 1 << 20;

  /** A payload is refused at most so many tokens after its limit. */
  private static final int LOOK_EACH = 256;

  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MOST_DEPTH)
                  .maxNumberLength(100)
                  .maxNameLength(20_000)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .recyclerPool(JsonRecyclerPools.threadLocalPool())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private final byte[] bytes;
  private final int offset;
  private final JsonParser parser;
  private final LongNames longNames = new LongNames();

  /** Reads the value of a field; the parser is at the value. */
  @FunctionalInterface
  public interface FieldReader {
    /** Reads the value. */
    void read(String name);
  }

  /** Reads a value. */
  @FunctionalInterface
  public interface Reader<T> {
    /** Reads a value at the parser's place. */
    T read(JsonInput input);
  }

  private JsonInput(byte[] bytes, int from, int to) {
    int error = Utf8.firstError(bytes, from, to);
    if (error >= 0) {
      throw new BadInputException("The byte at offset " + (error - from) + " is not valid UTF-8");
    }
    int half = SurrogateEscapes.firstHalf(bytes, from, to);
    if (half >= 0) {
      throw new BadInputException(
          "The escape at offset "
              + (half - from)
              + " is half of a surrogate pair; send both halves");
    }
    this.bytes = bytes;
    this.offset = from;
    this.parser = FACTORY.createParser(ObjectReadContext.empty(), bytes, from, to - from);
  }

  /** Reads the only value of the bytes. */
  public static <T> T read(byte[] bytes, Reader<T> reader) {
    return read(bytes, 0, bytes.length, reader);
  }

  /** Reads the only value of a part of the bytes. */
  public static <T> T read(byte[] bytes, int from, int to, Reader<T> reader) {
    try (JsonInput input = new JsonInput(bytes, from, to)) {
      if (input.next() == null) {
        throw new BadInputException("The body is empty, but JSON is expected");
      }
      T value = reader.read(input);
      if (input.next() != null) {
        throw input.bad("a further value follows; send exactly one");
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw new BadInputException("JSON beyond the limits: " + JsonFaults.firstLine(e));
    } catch (JacksonException e) {
      throw new BadInputException("Not valid JSON: " + JsonFaults.firstLine(e));
    }
  }

  /** Reads an object. */
  public void object(Fields fields, FieldReader reader) {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw expected("an object");
    }
    while (next() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (!fields.has(name)) {
        throw Names.unknown("field", name, fields.names());
      }
      if (next() != JsonToken.VALUE_NULL || fields.isNullable(name)) {
        reader.read(name);
      }
    }
  }

  /** Reads an array. */
  public <T> List<T> array(int most, Reader<T> reader) {
    if (!isArray()) {
      throw expected("an array");
    }
    List<T> items = new ArrayList<>();
    while (next() != JsonToken.END_ARRAY) {
      if (items.size() == most) {
        throw bad("more than " + most + " items; send them in several requests");
      }
      items.add(reader.read(this));
    }
    return items;
  }

  /** Returns whether the value is an array. */
  public boolean isArray() {
    return parser.currentToken() == JsonToken.START_ARRAY;
  }

  /** Returns whether the value is null. */
  public boolean isNull() {
    return parser.currentToken() == JsonToken.VALUE_NULL;
  }

  /** Returns whether the value is a text. */
  public boolean isText() {
    return parser.currentToken() == JsonToken.VALUE_STRING;
  }

  /** Reads a text, which is no payload. */
  public String text() {
    return text(MOST_TEXT);
  }

  /** Reads a text of up to so many bytes. */
  public String text(int most) {
    if (!isText()) {
      throw expected("a text");
    }
    if (isLonger(most)) {
      throw bad("has more than " + most + " bytes");
    }
    return parser.getString();
  }

  /** Returns whether a text has more bytes than these, before the parser keeps any of them. */
  private boolean isLonger(int most) {
    int at = offset + (int) parser.currentTokenLocation().getByteOffset() + 1;
    for (int length = 0; at < bytes.length && bytes[at] != '"'; length++) {
      if (length == most) {
        return true;
      }
      at += bytes[at] != '\\' ? 1 : at + 1 < bytes.length && bytes[at + 1] == 'u' ? 6 : 2;
    }
    return false;
  }

  /** Reads true or false. */
  public boolean flag() {
    if (parser.currentToken() == JsonToken.VALUE_TRUE) {
      return true;
    }
    if (parser.currentToken() != JsonToken.VALUE_FALSE) {
      throw expected("true or false");
    }
    return false;
  }

  /** Reads a whole number. */
  public long number(long least, long most) {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw expected("a whole number");
    }
    BigInteger value = parser.getBigIntegerValue();
    if (value.abs().compareTo(LONG_MAX) > 0) {
      throw bad("the number is not below 2^63; send one from " + least + " to " + most);
    }
    long number = value.longValueExact();
    if (number < least || number > most) {
      throw bad("must be between " + least + " and " + most + ", but was " + number);
    }
    return number;
  }

  /** Reads a duration, such as {@code PT10S} or {@code 10s}. */
  public Duration duration() {
    String text = text();
    try {
      return Times.duration(text);
    } catch (IllegalArgumentException e) {
      throw bad(String.valueOf(e.getMessage()));
    }
  }

  /** Reads an instant, such as {@code 2030-01-31T12:00:00Z}. */
  public Instant instant() {
    String text = text();
    try {
      return Times.instant(text);
    } catch (IllegalArgumentException e) {
      throw bad(String.valueOf(e.getMessage()));
    }
  }

  /** Reads a constant in any case of letters. */
  public <E extends Enum<E>> E constant(Class<E> type) {
    String text = text();
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(text)) {
        return constant;
      }
    }
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
    throw bad(
        "must be one of "
            + String.join(", ", names).toLowerCase(Locale.ROOT)
            + ", but was '"
            + Names.printable(text)
            + "'");
  }

  /** Reads up to so many bytes that are written in Base64. */
  public byte[] base64(int most) {
    int mostText = (int) ((most + 2L) / 3 * 4);
    if (isText() && isLonger(mostText)) {
      throw tooLarge(most);
    }
    try {
      return Base64.getDecoder().decode(text(mostText));
    } catch (IllegalArgumentException e) {
      throw bad("is not Base64 (RFC 4648, section 4, with padding)");
    }
  }

  /**
   * Reads an object whose values are texts.
   *
   * @param most the largest number of texts
   * @param mostBytes the largest size of a text
   */
  public Map<String, String> texts(int most, int mostBytes) {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw expected("an object of texts");
    }
    Map<String, String> texts = new LinkedHashMap<>();
    while (next() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (texts.size() == most) {
        throw bad("there can be " + most + " texts");
      }
      next();
      texts.put(name, text(mostBytes));
    }
    return texts;
  }

  /** Reads an object of which one text is of interest; returns an empty text if it is absent. */
  public String textOf(String field) {
    String text = "";
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw expected("an object");
    }
    while (next() != JsonToken.END_OBJECT) {
      boolean isWanted = parser.currentName().equals(field);
      next();
      if (isWanted && isText()) {
        text = text();
      } else {
        parser.skipChildren();
      }
    }
    return text;
  }

  /**
   * Checks a value of any kind, and returns its bytes as they were sent.
   *
   * @param most the largest number of bytes
   */
  public byte[] raw(int most) {
    int begin = offset + (int) parser.currentTokenLocation().getByteOffset();
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_STRING && isLonger(most)) {
      throw tooLarge(most);
    }
    if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
      int tokens = 0;
      for (int depth = 1; depth > 0; ) {
        if (++tokens % LOOK_EACH == 0 && end() - begin > most) {
          throw tooLarge(most);
        }
        JsonToken next = next();
        if (next == JsonToken.START_OBJECT || next == JsonToken.START_ARRAY) {
          depth++;
        } else if (next == JsonToken.END_OBJECT || next == JsonToken.END_ARRAY) {
          depth--;
        }
      }
    }
    parser.finishToken();
    return Arrays.copyOfRange(bytes, begin, end());
  }

  /** Returns where the token ends. */
  private int end() {
    return offset + (int) parser.currentLocation().getByteOffset();
  }

  private TooLargeInputException tooLarge(int most) {
    String fault = "has more than " + most + " bytes; send a reference to large data instead";
    return new TooLargeInputException(String.valueOf(bad(fault).getMessage()));
  }

  /** Returns an exception that names the place of the value. */
  public BadInputException bad(String fault) {
    String place = parser.streamReadContext().pathAsPointer().toString();
    return new BadInputException(
        (place.isEmpty() ? "The value" : Names.printable(place, 150)) + ": " + fault);
  }

  @Override
  public void close() {
    parser.close();
  }

  private BadInputException expected(String what) {
    return bad("expected " + what + ", but found " + JsonFaults.describe(parser.currentToken()));
  }

  private @Nullable JsonToken next() {
    JsonToken token = parser.nextToken();
    if (token == JsonToken.PROPERTY_NAME) {
      longNames.add(parser.currentName());
    }
    return token;
  }
}
