package io.punctual.cli.output;

import java.util.List;
import tools.jackson.core.JsonGenerator;

/** An entry of a listing: a row of a table, or a JSON object. */
public interface Listed {
  /** Returns one cell for each column of the table. */
  List<String> cells();

  /** Writes the fields of the object, without its braces. */
  void writeFields(JsonGenerator json);
}
