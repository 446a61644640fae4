package io.punctual.view;

import io.punctual.Forecast;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The number of waiting messages that become due in each of several equal spans.
 *
 * @param from the start of the first span, by the store's clock
 * @param widthMillis the length of each span
 * @param spans the spans, in order of time
 */
public record ForecastView(String from, BigDecimal widthMillis, List<Span> spans) implements View {
  /**
   * A span of time.
   *
   * @param from the start, inclusive
   * @param to the end, exclusive
   * @param count the number of messages
   */
  public record Span(String from, String to, long count) implements View {
    @Override
    public Map<String, @Nullable Object> tree() {
      return new Tree().put("from", from).put("to", to).put("count", count).toMap();
    }
  }

  /** Copies {@code spans}. */
  public ForecastView {
    spans = List.copyOf(spans);
  }

  /** Returns the view of a forecast. */
  public static ForecastView of(Forecast forecast) {
    List<Span> spans = new ArrayList<>(forecast.counts().size());
    Instant begin = forecast.from();
    for (long count : forecast.counts()) {
      Instant end = begin.plus(forecast.width());
      spans.add(new Span(Values.instant(begin), Values.instant(end), count));
      begin = end;
    }
    return new ForecastView(
        Values.instant(forecast.from()), Values.millis(forecast.width()), spans);
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("from", from)
        .put("widthMillis", widthMillis)
        .putAll("spans", spans)
        .toMap();
  }
}
