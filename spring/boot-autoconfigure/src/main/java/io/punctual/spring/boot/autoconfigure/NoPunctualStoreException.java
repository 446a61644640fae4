package io.punctual.spring.boot.autoconfigure;

/** Thrown if no bean and no property names a store. */
final class NoPunctualStoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoPunctualStoreException() {
    super("No store of Punctual is configured");
  }
}
