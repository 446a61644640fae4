package io.punctual.http.survey;

import java.util.Arrays;

/** Deliveries in the last spans of equal length; an older span is overwritten. For one lock. */
final class Ring {
  private final long spanMillis;
  private final long[] begins;
  private final long[] onTime;
  private final long[] late;

  Ring(int spans, long spanMillis) {
    this.spanMillis = spanMillis;
    begins = new long[spans];
    Arrays.fill(begins, Long.MIN_VALUE);
    onTime = new long[spans];
    late = new long[spans];
  }

  void add(long atMillis, long deliveredOnTime, long deliveredLate) {
    long span = Math.floorDiv(atMillis, spanMillis);
    int index = (int) Math.floorMod(span, (long) begins.length);
    if (begins[index] != span * spanMillis) {
      begins[index] = span * spanMillis;
      onTime[index] = 0;
      late[index] = 0;
    }
    onTime[index] += deliveredOnTime;
    late[index] += deliveredLate;
  }

  /** Adds the spans that begin within a range to sums of wider spans from the range's begin. */
  void addTo(long[] sumsOnTime, long[] sumsLate, long fromMillis, long widthMillis) {
    for (int i = 0; i < begins.length; i++) {
      long offset = begins[i] - fromMillis;
      if (begins[i] != Long.MIN_VALUE && offset >= 0) {
        int target = (int) Math.min(offset / widthMillis, Integer.MAX_VALUE);
        if (target < sumsOnTime.length) {
          sumsOnTime[target] += onTime[i];
          sumsLate[target] += late[i];
        }
      }
    }
  }

  /** Returns whether nothing was added since a time. */
  boolean isIdleSince(long atMillis) {
    return Arrays.stream(begins).allMatch(begin -> begin < atMillis - spanMillis);
  }
}
