/** A hierarchical timing wheel that is usable without the other modules. */
module io.punctual.timer {
  requires static transitive org.jspecify;

  exports io.punctual.timer;
}
