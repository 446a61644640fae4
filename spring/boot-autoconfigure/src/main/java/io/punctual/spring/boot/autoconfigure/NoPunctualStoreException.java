package io.punctual.spring.boot.autoconfigure;

/** No source names a store. */
final class NoPunctualStoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoPunctualStoreException() {
    super("No store of Punctual is configured");
  }
}
