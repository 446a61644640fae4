package io.punctual.server.config;

/** Thrown when the configuration can't be used; the message says where and why. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception. */
  public ConfigException(String message) {
    super(message);
  }
}
