package io.punctual.http.message;

import io.punctual.IfPresent;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.json.JsonInput;
import io.punctual.http.text.BadInputException;
import io.punctual.http.text.Names;
import io.punctual.http.text.Times;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** A message whose payload is the body as it is, and whose other parts are in headers. */
final class RawMessage {
  private static final String PREFIX = "punctual-";
  private static final List<String> KNOWN =
      List.of(
          "punctual-delay",
          "punctual-due-at",
          "punctual-not-after",
          "punctual-if-present",
          "punctual-remember-for",
          "punctual-every",
          "punctual-cron",
          "punctual-zone",
          "punctual-headers");

  private RawMessage() {}

  static Draft read(RequestHead head, byte[] body, int mostPayload) {
    Draft.Parts parts = new Draft.Parts();
    parts.bytes = body;
    Draft.Rhythm rhythm = new Draft.Rhythm();
    for (String name : head.headerNames()) {
      String header = name.toLowerCase(Locale.ROOT);
      if (header.startsWith(PREFIX)) {
        try {
          read(header, value(head, name), parts, rhythm);
        } catch (IllegalArgumentException e) {
          throw new BadInputException("The header " + header + ": " + e.getMessage());
        }
      }
    }
    if (rhythm.every != null || rhythm.cron != null || rhythm.zone != null) {
      parts.recurrence = rhythm.recurrence();
    }
    return parts.draft(mostPayload, BadInputException::new);
  }

  private static String value(RequestHead head, String name) {
    List<String> values = head.headers(name);
    if (values.size() != 1) {
      throw new BadInputException("occurs more than once");
    }
    return values.get(0).strip();
  }

  private static void read(String name, String value, Draft.Parts parts, Draft.Rhythm rhythm) {
    switch (name) {
      case "punctual-delay" -> parts.delay = Times.duration(value);
      case "punctual-due-at" -> parts.dueAt = Times.instant(value);
      case "punctual-not-after" -> parts.notAfter = Times.instant(value);
      case "punctual-remember-for" -> parts.rememberFor = Times.duration(value);
      case "punctual-every" -> rhythm.every = Times.duration(value);
      case "punctual-cron" -> rhythm.cron = value;
      case "punctual-zone" -> rhythm.zone = value;
      case "punctual-if-present" -> parts.ifPresent = ifPresent(value);
      case "punctual-headers" ->
          parts.headers =
              JsonInput.read(value.getBytes(StandardCharsets.ISO_8859_1), Draft::headers);
      default -> throw Names.unknown("header", name, KNOWN);
    }
  }

  private static IfPresent ifPresent(String value) {
    for (IfPresent mode : IfPresent.values()) {
      if (mode.name().equalsIgnoreCase(value)) {
        return mode;
      }
    }
    throw new BadInputException("must be keep, reject, replace or earliest");
  }
}
