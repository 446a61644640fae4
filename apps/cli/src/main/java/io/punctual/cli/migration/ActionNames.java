package io.punctual.cli.migration;

import io.punctual.migration.redisson.Orphans;
import io.punctual.migration.redisson.ReadyList;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;

/** The names of the actions of an import in lower case, for shell completion. */
final class ActionNames {
  private ActionNames() {}

  private static Iterator<String> of(Enum<?>... actions) {
    return Stream.of(actions).map(action -> action.name().toLowerCase(Locale.ROOT)).iterator();
  }

  /** The actions for due times without an entry. */
  static final class OfOrphans implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return of(Orphans.values());
    }
  }

  /** The actions for the ready list. */
  static final class OfReady implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return of(ReadyList.values());
    }
  }
}
