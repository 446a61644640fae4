package io.punctual.server.clients;

import java.util.EnumMap;
import java.util.Map;

/** The scenario programs that a class of tests shares, one for each language. */
final class Drivers implements AutoCloseable {
  private final Map<Language, Driver> drivers = new EnumMap<>(Language.class);

  /** Returns the program of a language; the test is skipped where the interpreter is absent. */
  synchronized Driver of(Language language) {
    language.assume();
    return drivers.computeIfAbsent(language, Driver::new);
  }

  /** Returns the fields of a command for a queue of a server. */
  static String command(Object server, String queue, String action, String rest) {
    return "'do':'%s','url':'%s','queue':'%s'%s"
        .formatted(action, server, queue, rest.isEmpty() ? "" : "," + rest);
  }

  /** Returns the fields of the work command. */
  static String work(int concurrency, String lease, String grace) {
    return "'concurrency':%d,'lease':'%s','grace':'%s'".formatted(concurrency, lease, grace);
  }

  @Override
  public synchronized void close() {
    drivers.values().forEach(Driver::close);
  }
}
