package io.punctual.internal.runtime;

/** Passes on the failures that a part of the runtime has survived. */
public final class Errors {
  private Errors() {}

  /**
   * Throws a failure again that a block without checked exceptions has thrown.
   *
   * @return never; the type lets the caller write {@code throw}
   */
  public static RuntimeException sneak(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }
}
