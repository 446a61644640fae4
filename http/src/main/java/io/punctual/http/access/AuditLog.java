package io.punctual.http.access;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * Writes who did what to the logger {@value #LOGGER}, as a line of JSON each. Contains no token and
 * no payload. Safe for use by many threads.
 */
public final class AuditLog {
  /** The name of the logger. */
  public static final String LOGGER = "io.punctual.audit";

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

  private AuditLog() {}

  /**
   * Writes a line.
   *
   * @param who the name of the caller, or the address of somebody unknown
   * @param what the action, in capitals
   * @param fields names and values of more, in turn
   */
  public static void write(String who, String what, String... fields) {
    StringBuilder line = new StringBuilder("{\"who\":").append(quoted(who));
    line.append(",\"what\":").append(quoted(what));
    for (int i = 0; i < fields.length; i += 2) {
      line.append(',').append(quoted(fields[i])).append(':').append(quoted(fields[i + 1]));
    }
    LOG.info("{}", line.append('}'));
  }

  private static String quoted(String text) {
    return "\"" + new String(JsonStringEncoder.getInstance().quoteAsCharArray(text)) + "\"";
  }
}
