package io.punctual.http.exchange;

import java.util.concurrent.CompletionStage;

/** A request whose head was judged. */
public interface Call {
  /** Returns the largest body in bytes; an adapter answers a larger one with {@link #tooLarge}. */
  long maxBody();

  /** Returns whether the answer depends on the body; an adapter keeps nothing of another one. */
  default boolean readsBody() {
    return true;
  }

  /**
   * Returns the name of the caller, for bounds of all of its requests; empty if it is not known.
   */
  default String caller() {
    return "";
  }

  /** Returns the answer to a request whose body exceeds {@link #maxBody}. */
  Answer tooLarge();

  /**
   * Answers the request. The stage never fails. Does not block.
   *
   * @param body the whole body; empty if there is none
   * @param client the client that waits for the answer
   */
  CompletionStage<Answer> answer(byte[] body, Client client);
}
