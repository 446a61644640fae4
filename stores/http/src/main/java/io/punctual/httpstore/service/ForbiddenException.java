package io.punctual.httpstore.service;

/** The sender of a request lacks the right to a queue. Says nothing about its existence. */
final class ForbiddenException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ForbiddenException(Access access, String queue) {
    this(
        access.name()
            + " lacks the right STORE to queue '"
            + queue
            + "'. Grant it for a prefix of the queue's name in the configuration of the server");
  }

  ForbiddenException(String message) {
    super(message, null, false, false);
  }
}
