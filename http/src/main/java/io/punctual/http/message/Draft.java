package io.punctual.http.message;

import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.Message;
import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.cron.Cron;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.http.text.BadInputException;
import io.punctual.view.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A message of a request, and what to do if its id is in use.
 *
 * @param message the message
 * @param ifPresent what to do if the id is in use
 */
public record Draft(Message<byte[]> message, IfPresent ifPresent) {
  private static final Fields FIELDS =
      Fields.of(
              "id",
              "payload",
              "payloadText",
              "payloadBase64",
              "headers",
              "delay",
              "dueAt",
              "notAfter",
              "ifPresent",
              "rememberFor",
              "recurrence")
          .nullable("payload");

  private static final Fields PAYLOAD =
      Fields.of("payload", "payloadText", "payloadBase64").nullable("payload");

  private static final Fields RECURRENCE =
      Fields.of("every", "cron", "zone", "catchUp", "stopOnFailure");

  /** Returns this draft with an id that the request names elsewhere. */
  public Draft id(String id) {
    if (message.id().filter(own -> !own.equals(id)).isPresent()) {
      throw Problems.invalid("The message has a different id than the request");
    }
    return new Draft(message.id(id), ifPresent);
  }

  /** Returns this draft, whose id the store remembers for at least a time after its end. */
  public Draft rememberedFor(Duration time) {
    return message.rememberedFor().isPresent()
        ? this
        : new Draft(message.rememberFor(time), ifPresent);
  }

  /** Reads a message. */
  public static Draft read(JsonInput input, int mostPayload) {
    Parts parts = new Parts();
    input.object(
        FIELDS,
        name -> {
          switch (name) {
            case "id" -> parts.id = input.text();
            case "payload", "payloadText", "payloadBase64" -> parts.read(name, input, mostPayload);
            case "headers" -> parts.headers = headers(input);
            case "delay" -> parts.delay = input.duration();
            case "dueAt" -> parts.dueAt = input.instant();
            case "notAfter" -> parts.notAfter = input.instant();
            case "ifPresent" -> parts.ifPresent = input.constant(IfPresent.class);
            case "rememberFor" -> parts.rememberFor = input.duration();
            default -> parts.recurrence = recurrence(input);
          }
        });
    return parts.draft(mostPayload, input::bad);
  }

  /** Reads the payload of an object that has nothing else. */
  public static byte[] readPayload(JsonInput input, int mostPayload) {
    Parts parts = new Parts();
    input.object(PAYLOAD, name -> parts.read(name, input, mostPayload));
    return checkSize(parts.payload(input::bad), mostPayload);
  }

  /** Reads headers, whose sizes together are checked later. */
  public static Map<String, String> headers(JsonInput input) {
    return input.texts(Limits.HEADERS, Limits.HEADER_BYTES);
  }

  /** Returns a payload that is not too large. */
  public static byte[] checkSize(byte[] payload, int most) {
    if (payload.length > most) {
      throw Problem.of(
              Outcome.TOO_LARGE,
              "The payload has "
                  + payload.length
                  + " bytes; at most "
                  + most
                  + " are allowed. Send a reference to large data instead")
          .exception();
    }
    return payload;
  }

  private static Recurrence recurrence(JsonInput input) {
    Rhythm rhythm = new Rhythm();
    input.object(
        RECURRENCE,
        name -> {
          switch (name) {
            case "every" -> rhythm.every = input.duration();
            case "cron" -> rhythm.cron = input.text();
            case "zone" -> rhythm.zone = input.text();
            case "catchUp" -> rhythm.catchUp = input.flag();
            default -> rhythm.stopOnFailure = input.flag();
          }
        });
    return rhythm.recurrence();
  }

  /** The parts of a recurrence; a part that is absent is null. */
  static final class Rhythm {
    @Nullable Duration every;
    @Nullable String cron;
    @Nullable String zone;
    boolean catchUp;
    boolean stopOnFailure;

    Recurrence recurrence() {
      if ((every == null) == (cron == null) || (zone != null && cron == null)) {
        throw new BadInputException(
            "A recurrence has either 'every', a duration, or 'cron', an expression with five fields"
                + " and maybe a 'zone'");
      }
      Recurrence recurrence = every == null ? cron(String.valueOf(cron)) : Recurrence.every(every);
      recurrence = catchUp ? recurrence.catchUp() : recurrence;
      return stopOnFailure ? recurrence.stopOnFailure() : recurrence;
    }

    private Recurrence cron(String expression) {
      try {
        return Cron.of(expression, zone == null ? ZoneOffset.UTC : ZoneId.of(zone));
      } catch (DateTimeException | RecurrenceException | IllegalArgumentException e) {
        throw new BadInputException("The recurrence is not valid: " + e.getMessage());
      }
    }
  }

  /** The parts of a message; a part that is absent is null. */
  static final class Parts {
    @Nullable String id;
    byte @Nullable [] json;
    @Nullable String text;
    boolean isText;
    byte @Nullable [] bytes;
    Map<String, String> headers = Map.of();
    @Nullable Duration delay;
    @Nullable Instant dueAt;
    @Nullable Instant notAfter;
    IfPresent ifPresent = IfPresent.KEEP;
    @Nullable Duration rememberFor;
    @Nullable Recurrence recurrence;

    /**
     * Returns the draft.
     *
     * @param fault makes an exception that names the place of the message
     */
    Draft draft(int mostPayload, Function<String, BadInputException> fault) {
      byte[] payload = checkSize(payload(fault), mostPayload);
      if (delay != null && dueAt != null) {
        throw fault.apply("send either a delay or dueAt, not both");
      }
      Message<byte[]> message = Message.of(payload).headers(headers);
      message = id == null ? message : message.id(id);
      message = delay == null ? message : message.dueIn(delay);
      message = dueAt == null ? message : message.dueAt(dueAt);
      message = notAfter == null ? message : message.notAfter(notAfter);
      try {
        message = rememberFor == null ? message : message.rememberFor(rememberFor);
      } catch (IllegalArgumentException e) {
        throw fault.apply(String.valueOf(e.getMessage()));
      }
      message = recurrence == null ? message : message.recurring(recurrence);
      check(message, fault);
      return new Draft(message, ifPresent);
    }

    /** Checks all but the payload, whose limit is the server's. */
    private static void check(Message<byte[]> message, Function<String, BadInputException> fault) {
      Message<byte[]> rest = Message.of(new byte[0]).due(message.due()).headers(message.headers());
      rest = message.id().map(rest::id).orElse(rest);
      try {
        Message.check(message.notAfter().map(rest::notAfter).orElse(rest));
      } catch (IllegalArgumentException e) {
        throw fault.apply(String.valueOf(e.getMessage()));
      }
    }

    private void read(String name, JsonInput input, int most) {
      switch (name) {
        case "payload" -> {
          json = input.raw(most);
          text = input.isText() ? input.text(most) : null;
        }
        case "payloadText" -> isText = input.flag();
        default -> bytes = input.base64(most);
      }
    }

    private byte[] payload(Function<String, BadInputException> fault) {
      if ((json == null) == (bytes == null)) {
        throw fault.apply("a message needs either payload or payloadBase64");
      }
      if (isText && text == null) {
        throw fault.apply("with payloadText, the payload must be a text");
      }
      if (bytes != null) {
        return bytes;
      }
      return isText && text != null
          ? text.getBytes(StandardCharsets.UTF_8)
          : Objects.requireNonNull(json);
    }
  }
}
