package io.punctual.httpstore.wire;

import org.jspecify.annotations.Nullable;

/** A document is not what its reader expects. The message shows no part of its contents. */
public final class UnreadableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the fault. */
  public UnreadableException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
  }

  UnreadableException(String message) {
    this(message, null);
  }
}
