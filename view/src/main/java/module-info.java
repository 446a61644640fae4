/** What queues, messages and workers look like to people and other programs. */
module io.punctual.view {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;

  exports io.punctual.view;
}
