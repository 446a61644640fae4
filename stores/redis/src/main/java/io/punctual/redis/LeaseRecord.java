package io.punctual.redis;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The record of a leased message in the hash {@code leases}: "token due/holder attempt", and " c"
 * at the end if the message is marked as cancelled. Immutable.
 *
 * @param dueMillis when the message was due, in milliseconds from 1970
 * @param attempt the number of this attempt, from 1
 * @param cancelled whether the record marks the message as cancelled; a claim for delivery at most
 *     once sets this mark, too
 * @param holder the session that claimed the message, or null if an earlier version of the store
 *     wrote the record
 */
record LeaseRecord(long dueMillis, int attempt, boolean cancelled, @Nullable String holder) {
  private static final Pattern FORM =
      Pattern.compile("\\d+ (?<due>[^ /]+)(/(?<holder>\\S*))? (?<attempt>\\d{1,9})(?<mark> c)?");

  private static final Pattern LOST = Pattern.compile("\\d+ lost[/ ]");

  /**
   * Returns whether a record says that the due time was lost; see putback.lua. Such a record cannot
   * be parsed.
   */
  static boolean isLost(String text) {
    return LOST.matcher(text).lookingAt();
  }

  /**
   * Parses a record; empty if the text has a different form, because a foreign program wrote it.
   */
  static Optional<LeaseRecord> parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int attempt = Integer.parseInt(parts.group("attempt"));
    boolean cancelled = parts.group("mark") != null;
    String holder = parts.group("holder");
    return ReplyReader.time(parts.group("due"))
        .map(due -> new LeaseRecord(due, attempt, cancelled, holder));
  }
}
