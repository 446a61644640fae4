package io.punctual.view;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as a text on one line. A writer of JSON passes the text on as it is, so that numbers
 * keep their digits and objects their order. Immutable.
 */
public final class JsonText {
  private final String text;

  private JsonText(String text) {
    this.text = text;
  }

  /**
   * Returns the JSON value that a text consists of; empty if the text is not JSON by RFC 8259. A
   * text that common readers refuse is not JSON either: it is nested more than {@value
   * JsonReader#MOST_DEPTH} times, has a number of more than {@value JsonReader#LONGEST_NUMBER}
   * characters or with an exponent of more than 9 digits, or half of a surrogate pair.
   */
  public static Optional<JsonText> of(String text) {
    return JsonReader.isJson(text) ? Optional.of(new JsonText(onOneLine(text))) : Optional.empty();
  }

  /**
   * Replaces line breaks by spaces. JSON has line breaks only between tokens; in strings they are
   * escaped.
   */
  private static String onOneLine(String json) {
    return json.replace('\n', ' ').replace('\r', ' ').strip();
  }

  /** Returns the text, without line breaks. */
  public String text() {
    return text;
  }

  /**
   * Returns the value: a text, a number, a boolean, null, or a list or map of such values. A whole
   * number of up to 18 digits is a {@link Long}, any other number a {@link java.math.BigInteger} or
   * {@link java.math.BigDecimal}. Of fields with the same name, the last counts.
   */
  public @Nullable Object value() {
    return JsonReader.read(text);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JsonText that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
