package io.punctual.http.route;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The types of bodies. */
public final class Media {
  /** One JSON value. */
  public static final String JSON = "application/json";

  /** One JSON value in each line. */
  public static final String LINES = "application/x-ndjson";

  /** A payload as it is. */
  public static final String BYTES = "application/octet-stream";

  /** Server-sent events. */
  public static final String EVENTS = "text/event-stream";

  /** A range of an Accept header with a weight of zero. */
  private static final Pattern EXCLUDED = Pattern.compile(";\\s*q\\s*=\\s*0(\\.0*)?\\s*(;|$)");

  private Media() {}

  /** Returns the type of a Content-Type without its parameters, in small letters. */
  static String type(String contentType) {
    int semicolon = contentType.indexOf(';');
    return (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
        .strip()
        .toLowerCase(Locale.ROOT);
  }

  /** Returns whether a Content-Type names a character set other than UTF-8. */
  static boolean hasOtherCharset(String contentType) {
    if (contentType.indexOf(';') < 0) {
      return false;
    }
    String parameters = contentType.toLowerCase(Locale.ROOT).replaceAll("[\\s\"]", "");
    int charset = parameters.indexOf(";charset=");
    return charset >= 0 && !parameters.startsWith(";charset=utf-8", charset);
  }

  /** Returns whether the values of an Accept header allow a type; none allows all. */
  static boolean accepts(List<String> accept, String type) {
    if (accept.isEmpty()) {
      return true;
    }
    String family = type.substring(0, type.indexOf('/') + 1) + "*";
    for (String value : accept) {
      for (String range : value.split(",", -1)) {
        String wanted = type(range);
        if ((wanted.equals(type) || wanted.equals(family) || wanted.equals("*/*"))
            && !EXCLUDED.matcher(range).find()) {
          return true;
        }
      }
    }
    return false;
  }
}
