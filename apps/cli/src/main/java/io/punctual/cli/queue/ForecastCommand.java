package io.punctual.cli.queue;

import io.punctual.Forecast;
import io.punctual.TimedQueue;
import io.punctual.cli.command.QueueReportCommand;
import io.punctual.cli.input.TimeSpan;
import io.punctual.cli.output.Bars;
import io.punctual.cli.output.ExitCode;
import io.punctual.cli.output.Fields;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import io.punctual.view.ForecastView;
import io.punctual.view.Values;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "forecast",
    description = "Shows how many waiting messages come due in each span of time.",
    mixinStandardHelpOptions = true)
public final class ForecastCommand extends QueueReportCommand {
  @Option(
      names = "--from",
      paramLabel = "INSTANT",
      converter = TimeSpan.InstantConverter.class,
      description = "The start of the first span (default: now).")
  private @Nullable Instant from;

  @Option(
      names = "--within",
      paramLabel = "TIME",
      defaultValue = "1h",
      converter = TimeSpan.Converter.class,
      description = "The length of the forecast (default: ${DEFAULT-VALUE}).")
  private Duration within;

  @Option(
      names = "--buckets",
      paramLabel = "N",
      defaultValue = "12",
      description = "The number of spans, 1 to 500 (default: ${DEFAULT-VALUE}).")
  private int buckets;

  private static final Fields<ForecastView.Span> FIELDS =
      new Fields<ForecastView.Span>().view(span -> span);

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public void checkUsage() {
    if (within.compareTo(Duration.ofMillis(1)) < 0) {
      throw wrongUsage("--within must be at least 1ms");
    }
    if (buckets < 1 || buckets > 500) {
      throw wrongUsage("--buckets must be between 1 and 500");
    }
  }

  @Override
  public int run(TimedQueue<byte[]> queue) {
    Instant begin = from == null ? Clock.systemUTC().instant() : from;
    Forecast forecast = queue.forecast(begin, end(begin), buckets);
    if (format() == OutputFormat.TABLE) {
      draw(forecast);
    } else {
      list(forecast);
    }
    return ExitCode.OK;
  }

  private Instant end(Instant begin) {
    try {
      return begin.plus(within);
    } catch (DateTimeException e) {
      throw wrongUsage("The forecast ends after the last instant; name an earlier one by --from");
    }
  }

  private void draw(Forecast forecast) {
    List<Bars.Row> rows = new ArrayList<>();
    Duration offset = Duration.ZERO;
    for (long count : forecast.counts()) {
      rows.add(new Bars.Row("+" + TimeSpan.format(offset), count));
      offset = offset.plus(forecast.width());
    }
    console().out().println("from " + Values.instant(forecast.from()));
    Bars.of(console().terminal()).draw(rows).forEach(console().out()::println);
    console().out().flush();
  }

  private void list(Forecast forecast) {
    try (Listing<ForecastView.Span> listing = new Listing<>(console(), format(), FIELDS)) {
      ForecastView.of(forecast).spans().forEach(listing::add);
      listing.end();
    }
  }
}
