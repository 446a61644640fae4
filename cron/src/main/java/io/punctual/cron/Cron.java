package io.punctual.cron;

import io.punctual.Recurrence;
import java.time.ZoneId;

/**
 * Creates recurrences by cron expressions, for {@link io.punctual.Message#recurring}. Stateless.
 *
 * <p>An expression has five fields: minute, hour, day of month, month and day of week. With six
 * fields, the first field is the second.
 *
 * <table>
 * <caption>The fields</caption>
 * <tr><th>field</th><th>values</th></tr>
 * <tr><td>second, minute</td><td>0 to 59</td></tr>
 * <tr><td>hour</td><td>0 to 23</td></tr>
 * <tr><td>day of month</td><td>1 to 31; {@code L}: the last day; {@code L-3}: three days before
 * the last day; {@code LW}: the last weekday; {@code 1W} to {@code 28W}: the weekday nearest to
 * that day, in the same month</td></tr>
 * <tr><td>month</td><td>1 to 12, or {@code JAN} to {@code DEC}</td></tr>
 * <tr><td>day of week</td><td>0 to 7, or {@code SUN} to {@code SAT}; 0 and 7 are Sunday; a range may
 * begin or end with Sunday ({@code SUN-THU}, {@code SAT-SUN}); {@code FRIL}: the last Friday of the month; {@code FRI#2}: its second Friday</td></tr>
 * </table>
 *
 * <p>Each field takes {@code *}, lists ({@code 1,15}), ranges ({@code MON-FRI}) and steps ({@code
 * *}{@code /5}, {@code 8-18/2}, {@code 3/15}). A day field also takes {@code ?}, which means the
 * same as {@code *}. Only one of the two day fields may be restricted, because cron programs
 * disagree about whether both must match.
 *
 * <p>At a change of the clocks, such as the start of daylight saving time, the rule of Unix cron
 * applies. An expression without {@code *} and {@code /} in its second, minute and hour <em>names
 * times of the day</em>: an occurrence in the skipped hour is due at the change, and an occurrence
 * in the repeated hour is due in the first pass only. Any other expression <em>repeats</em>: it
 * follows the local time, so it has no occurrence in the skipped hour, and has occurrences in both
 * passes of the repeated hour.
 */
public final class Cron {
  /** The kind of the recurrences by cron expressions. */
  public static final String KIND = "cron";

  private Cron() {}

  /**
   * Returns the recurrence of an expression in a time zone. The first occurrence of a message
   * without a due time is the next time that matches, which may be now.
   *
   * @throws IllegalArgumentException if the expression is not valid, or matches no date; the
   *     message names the fault
   */
  public static Recurrence of(String expression, ZoneId zone) {
    CronFields fields = CronFields.parse(expression);
    return Recurrence.of(
        KIND, zone.getId() + " " + fields.text(), new CronTimetable(fields, zone.getRules()));
  }
}
