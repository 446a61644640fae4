package io.punctual.cli.journal;

import io.punctual.cli.output.Console;
import io.punctual.cli.output.Listed;
import io.punctual.cli.output.Listing;
import io.punctual.cli.output.OutputFormat;
import io.punctual.journal.report.Damage;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * A damaged place in a journal.
 *
 * @param damage the place and the reason
 */
record DamageRow(Damage damage) implements Listed {
  static void list(Console console, OutputFormat format, List<Damage> all) {
    try (Listing listing = new Listing(console, format, "FILE", "BYTE", "WHAT IS WRONG")) {
      all.forEach(damage -> listing.add(new DamageRow(damage)));
      listing.end();
    }
  }

  @Override
  public List<String> cells() {
    return List.of(damage.file(), Long.toString(damage.offset()), damage.reason());
  }

  @Override
  public void writeFields(JsonGenerator json) {
    json.writeStringProperty("file", damage.file());
    json.writeNumberProperty("offset", damage.offset());
    json.writeStringProperty("reason", damage.reason());
  }
}
