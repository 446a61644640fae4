package io.punctual.http.dead;

import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadReason;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.route.Exchange;

/** Reads filters of dead letters. */
public final class DeadFilters {
  /** The fields of a filter in JSON. */
  public static final Fields FIELDS =
      Fields.of("group", "reason", "failure", "from", "to", "prefix");

  private DeadFilters() {}

  /** Reads the filter of a query. */
  static DeadLetterFilter query(Exchange exchange) {
    if (exchange.query().text("failure").isPresent()) {
      exchange.requirePayloads(exchange.queue());
    }
    DeadLetterFilter filter = DeadLetterFilter.ALL;
    filter = exchange.query().text("group").map(filter::withGroup).orElse(filter);
    filter =
        exchange
            .query()
            .constant("reason", DeadReason.class)
            .map(filter::withReason)
            .orElse(filter);
    filter = exchange.query().text("failure").map(filter::withFailure).orElse(filter);
    filter = exchange.query().instant("from").map(filter::withDiedFrom).orElse(filter);
    filter = exchange.query().instant("to").map(filter::withDiedBefore).orElse(filter);
    return exchange.query().text("prefix").map(filter::withIdPrefix).orElse(filter);
  }

  /** Reads a field of {@link #FIELDS}, and returns the filter with it. */
  public static DeadLetterFilter read(DeadLetterFilter filter, String name, JsonInput input) {
    return switch (name) {
      case "group" -> filter.withGroup(input.text());
      case "reason" -> filter.withReason(input.constant(DeadReason.class));
      case "failure" -> filter.withFailure(input.text());
      case "from" -> filter.withDiedFrom(input.instant());
      case "to" -> filter.withDiedBefore(input.instant());
      default -> filter.withIdPrefix(input.text());
    };
  }
}
