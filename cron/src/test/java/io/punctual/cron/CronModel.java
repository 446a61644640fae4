package io.punctual.cron;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A second implementation of cron expressions, for five fields of numbers. It is slow and simple,
 * because it examines each minute of a matching day.
 */
final class CronModel {
  private static final int[][] RANGES = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}};

  private final String[] fields;

  CronModel(String expression) {
    this.fields = expression.split(" ", -1);
  }

  private boolean matches(int field, int value) {
    for (String item : fields[field].split(",", -1)) {
      String[] parts = item.split("/", -1);
      int step = parts.length > 1 ? Integer.parseInt(parts[1]) : 1;
      String[] ends = parts[0].split("-", -1);
      boolean isAny = parts[0].equals("*");
      int from = isAny ? RANGES[field][0] : Integer.parseInt(ends[0]);
      int to =
          isAny || (parts.length > 1 && ends.length == 1)
              ? RANGES[field][1]
              : Integer.parseInt(ends[ends.length - 1]);
      if (value >= from && value <= to && (value - from) % step == 0) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(LocalDate day) {
    int weekday = day.getDayOfWeek().getValue();
    return matches(2, day.getDayOfMonth())
        && matches(3, day.getMonthValue())
        && (matches(4, weekday) || (weekday == 7 && matches(4, 0)));
  }

  boolean matches(LocalDateTime time) {
    return matches(0, time.getMinute())
        && matches(1, time.getHour())
        && matches(time.toLocalDate());
  }

  private boolean repeats() {
    return (fields[0] + fields[1]).matches(".*[*/].*");
  }

  /** Returns all occurrences of these days in a time zone. */
  SortedSet<Instant> occurrences(LocalDate first, int days, ZoneRules rules) {
    SortedSet<Instant> found = new TreeSet<>();
    for (LocalDate day = first; day.isBefore(first.plusDays(days)); day = day.plusDays(1)) {
      if (!matches(day)) {
        continue;
      }
      for (int minute = 0; minute < 24 * 60; minute++) {
        LocalDateTime time = day.atTime(LocalTime.of(minute / 60, minute % 60));
        if (matches(time)) {
          add(found, time, rules);
        }
      }
    }
    return found;
  }

  private void add(SortedSet<Instant> found, LocalDateTime time, ZoneRules rules) {
    List<ZoneOffset> offsets = rules.getValidOffsets(time);
    if (repeats()) {
      offsets.forEach(offset -> found.add(time.toInstant(offset)));
      return;
    }
    ZoneOffsetTransition change = rules.getTransition(time);
    found.add(
        change != null && change.isGap() ? change.getInstant() : time.toInstant(offsets.get(0)));
  }
}
