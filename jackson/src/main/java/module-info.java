/** A JSON codec for Punctual, based on Jackson 3. */
module io.punctual.jackson {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive tools.jackson.core;
  requires transitive tools.jackson.databind;

  exports io.punctual.jackson;
}
