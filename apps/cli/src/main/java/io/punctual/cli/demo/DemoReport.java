package io.punctual.cli.demo;

import io.punctual.cli.output.Bars;
import io.punctual.cli.output.Json;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.Style;
import io.punctual.cli.output.Terminal;
import io.punctual.view.Values;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JsonGenerator;

/**
 * The result of the demo, for people and as JSON.
 *
 * @param store the store that the demo used
 * @param tally the totals of all orders
 * @param latenessMicros the lateness of the deliveries, in microseconds
 * @param took the duration of the demo
 */
record DemoReport(String store, OrderBook.Tally tally, Histogram latenessMicros, Duration took) {
  private static final int LABELS = 11;

  String toJson() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = Json.generator(text)) {
      json.writeStartObject();
      json.writeStringProperty("store", store);
      json.writeNumberProperty("scheduled", tally.scheduled());
      json.writeNumberProperty("cancelled", tally.cancelled());
      json.writeNumberProperty("delivered", tally.delivered());
      json.writeNumberProperty("lost", tally.lost());
      json.writeNumberProperty("duplicates", tally.duplicates());
      json.writeNumberProperty("early", tally.early());
      json.writeNumberProperty("seconds", seconds());
      json.writeObjectPropertyStart("latenessMillis");
      json.writeNumberProperty("p50", Values.millis(percentile(50)));
      json.writeNumberProperty("p99", Values.millis(percentile(99)));
      json.writeNumberProperty("max", Values.millis(latenessMicros.getMaxValue()));
      json.writeEndObject();
      json.writeEndObject();
    }
    return text.toString();
  }

  private BigDecimal seconds() {
    return BigDecimal.valueOf(took.toMillis()).movePointLeft(3).setScale(3, RoundingMode.HALF_UP);
  }

  private long percentile(double percentile) {
    return Math.min(latenessMicros.getValueAtPercentile(percentile), latenessMicros.getMaxValue());
  }

  String toText(Terminal terminal) {
    Style style = terminal.outStyle();
    StringBuilder text = new StringBuilder();
    line(text, style, "store", store);
    line(text, style, "scheduled", Numbers.grouped(tally.scheduled()) + " orders");
    line(text, style, "cancelled", Numbers.grouped(tally.cancelled()) + " paid in time");
    line(text, style, "delivered", Numbers.grouped(tally.delivered()) + " closed by the worker");
    line(text, style, "lost", judged(style, tally.lost()));
    line(text, style, "duplicates", judged(style, tally.duplicates()));
    line(text, style, "early", judged(style, tally.early()));
    line(text, style, "took", seconds() + " s");
    if (latenessMicros.getTotalCount() > 0) {
      line(text, style, "lateness", lateness());
      text.append('\n');
      Bars bars = Bars.of(terminal);
      new LatenessChart(bars).draw(latenessMicros).forEach(row -> text.append(row).append('\n'));
    }
    return text.toString();
  }

  private static void line(StringBuilder text, Style style, String label, String value) {
    text.append(style.faint(Numbers.left(label, LABELS))).append(value).append('\n');
  }

  private static String judged(Style style, int faults) {
    return faults == 0 ? style.good("0") : style.bad(Numbers.grouped(faults));
  }

  private String lateness() {
    return String.format(
        Locale.ROOT,
        "p50 %s, p99 %s, max %s",
        Numbers.lateness(percentile(50)),
        Numbers.lateness(percentile(99)),
        Numbers.lateness(latenessMicros.getMaxValue()));
  }
}
