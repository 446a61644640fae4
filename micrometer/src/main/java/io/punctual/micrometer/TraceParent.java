package io.punctual.micrometer;

import org.jspecify.annotations.Nullable;

/**
 * The header {@code traceparent} of W3C Trace Context, version 00. A link needs only these three
 * values. A tracer would create a span to read them.
 *
 * @see <a href="https://www.w3.org/TR/trace-context/#traceparent-header">W3C Trace Context</a>
 */
record TraceParent(String traceId, String spanId, boolean sampled) {
  static final String FIELD = "traceparent";

  private static final int LENGTH = 55;
  private static final int SPAN_ID = 36;
  private static final int FLAGS = 53;
  private static final String ZEROS = "0".repeat(SPAN_ID);

  /** Parses a header; returns null if the text is not a header of version 00. */
  static @Nullable TraceParent parse(String text) {
    if (text.length() != LENGTH
        || !text.startsWith("00-")
        || text.charAt(SPAN_ID - 1) != '-'
        || text.charAt(FLAGS - 1) != '-') {
      return null;
    }
    String traceId = text.substring(3, SPAN_ID - 1);
    String spanId = text.substring(SPAN_ID, FLAGS - 1);
    String flags = text.substring(FLAGS);
    return isId(traceId) && isId(spanId) && isHex(flags)
        ? new TraceParent(traceId, spanId, (Character.digit(flags.charAt(1), 16) & 1) == 1)
        : null;
  }

  private static boolean isId(String text) {
    return isHex(text) && !ZEROS.startsWith(text);
  }

  private static boolean isHex(String text) {
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if ((each < '0' || each > '9') && (each < 'a' || each > 'f')) {
        return false;
      }
    }
    return true;
  }
}
