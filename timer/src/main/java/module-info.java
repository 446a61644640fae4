/** A hierarchical timing wheel, usable alone. */
module io.punctual.timer {
  requires static transitive org.jspecify;

  exports io.punctual.timer;
}
