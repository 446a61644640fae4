/** A hierarchical timing wheel and a timer, which are usable without the other modules. */
module io.punctual.timer {
  requires static transitive org.jspecify;

  exports io.punctual.timer;
}
