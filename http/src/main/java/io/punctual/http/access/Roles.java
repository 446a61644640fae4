package io.punctual.http.access;

import java.util.Map;
import java.util.Set;

/** What tokens that the API makes can be. Safe for use by many threads. */
public interface Roles {
  /** Returns the rights of each role, by its name. */
  Map<String, Set<Grant>> grants();

  /** Returns whether another caller has this name already, such as one with a configured token. */
  boolean isTaken(String name);
}
