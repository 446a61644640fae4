package io.punctual;

import java.util.Objects;

/**
 * A failure that another program reports as text, for example a handler in another language. Pass
 * it to {@link Settlement.Fail}. The recorded failure and the groups of dead letters show the
 * reported type and place, as they show the class and the stack frame of an exception of Java. It
 * has no stack trace.
 *
 * <p>A rule of a {@link RetryPolicy} can tell reported failures apart by their type:
 *
 * <pre>{@code
 * policy.forFailure(
 *     failure -> failure instanceof ReportedException e && e.type().equals("CardError"),
 *     RetryPolicy.never())
 * }</pre>
 */
public final class ReportedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String type;
  private final String place;

  /**
   * Creates a failure, for example {@code new ReportedException("CardError", "declined",
   * "cards.py:42")}.
   *
   * @param type the kind of the failure in the other language, without line breaks
   * @param message the text of the failure; may be empty
   * @param place where the failure happened, as file and line or as a name, without line breaks and
   *     without parts that differ from message to message, because failures of the same type and
   *     place are one group of dead letters. Empty if it is unknown: the message then decides about
   *     the group
   * @throws IllegalArgumentException if the type is blank, or the type or the place has control
   *     characters
   */
  public ReportedException(String type, String message, String place) {
    super(Objects.requireNonNull(message, "message"), null, false, false);
    this.type = requireLine(type, "type");
    this.place = requireLine(place, "place");
    if (type.isBlank()) {
      throw new IllegalArgumentException("A reported failure needs a type, such as CardError");
    }
  }

  private static String requireLine(String text, String name) {
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The " + name + " of a reported failure has control characters; pass a single line");
    }
    return text;
  }

  /** Returns the kind of the failure in the other language. */
  public String type() {
    return type;
  }

  /** Returns where the failure happened; empty if it is unknown. */
  public String place() {
    return place;
  }

  /** Returns the type and the message, for example {@code CardError: declined}. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // the type of the other language, not this class
  public String toString() {
    String message = Objects.requireNonNullElse(getMessage(), "");
    return message.isEmpty() ? type : type + ": " + message;
  }
}
