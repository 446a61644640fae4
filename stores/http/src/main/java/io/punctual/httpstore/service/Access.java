package io.punctual.httpstore.service;

import java.util.Collection;

/** What the sender of a request may use. */
public interface Access {
  /** Access to all queues. */
  Access ALL =
      new Access() {
        @Override
        public boolean may(String queue) {
          return true;
        }

        @Override
        public Collection<String> prefixes() {
          return java.util.List.of("");
        }

        @Override
        public String name() {
          return "everyone";
        }
      };

  /** Returns whether the sender may use a queue. */
  boolean may(String queue);

  /** Returns the prefixes of the names of the queues that the sender may use. */
  Collection<String> prefixes();

  /** Returns the name of the sender, for messages. */
  String name();

  /**
   * Learns what the sender has changed, or may have. Called once or more for each change.
   *
   * @param status the status of the answer: 200, or that of an unknown outcome
   */
  default void changed(Change change, int status) {}
}
