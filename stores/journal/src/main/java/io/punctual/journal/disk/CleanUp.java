package io.punctual.journal.disk;

import java.io.IOException;

/**
 * A step that must run after a failure, as the resource of a {@code try} statement that throws the
 * failure: if the step fails as well, its failure is suppressed.
 */
@FunctionalInterface
public interface CleanUp extends AutoCloseable {
  @Override
  void close() throws IOException;
}
