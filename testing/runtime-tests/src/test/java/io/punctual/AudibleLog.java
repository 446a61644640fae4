package io.punctual;

import java.lang.reflect.Field;
import org.slf4j.LoggerFactory;
import org.slf4j.event.EventConstants;
import org.slf4j.simple.SimpleLogger;

/**
 * Lets a log write its lines from level INFO until it is closed. The tests of this module share a
 * Java process, and {@code simplelogger.properties} silences the logs that the simulation fills.
 */
public final class AudibleLog implements AutoCloseable {
  private final SimpleLogger log;
  private final Field level;
  private final int before;

  /** Changes the level of the log with this name. */
  public AudibleLog(String name) {
    log = (SimpleLogger) LoggerFactory.getLogger(name);
    try {
      level = SimpleLogger.class.getDeclaredField("currentLogLevel");
      level.setAccessible(true);
      before = level.getInt(log);
      level.setInt(log, EventConstants.INFO_INT);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      level.setInt(log, before);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
