package io.punctual.redis;

import java.util.Optional;
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
  private static final String MARK = " c";
  private static final int MOST_ATTEMPT_DIGITS = 9;

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
   * Without a regular expression, because every claimed message has a record.
   */
  static Optional<LeaseRecord> parse(String text) {
    boolean cancelled = text.endsWith(MARK);
    int end = text.length() - (cancelled ? MARK.length() : 0);
    int lease = text.indexOf(' ') + 1;
    int attempt = text.lastIndexOf(' ', end - 1) + 1;
    if (attempt <= lease
        || end - attempt > MOST_ATTEMPT_DIGITS
        || !isNumber(text, 0, lease - 1)
        || !isNumber(text, attempt, end)) {
      return Optional.empty();
    }
    String words = text.substring(lease, attempt - 1);
    if (words.indexOf(' ') >= 0) {
      return Optional.empty();
    }
    int slash = words.indexOf('/');
    String holder = slash < 0 ? null : words.substring(slash + 1);
    int number = Integer.parseInt(text, attempt, end, 10);
    return ReplyReader.time(slash < 0 ? words : words.substring(0, slash))
        .map(due -> new LeaseRecord(due, number, cancelled, holder));
  }

  private static boolean isNumber(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return from < to;
  }
}
