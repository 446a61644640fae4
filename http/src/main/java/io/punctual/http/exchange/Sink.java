package io.punctual.http.exchange;

import java.util.concurrent.CompletionStage;

/** Takes the parts of an answer that is written while it arises. */
public interface Sink {
  /**
   * Writes a part. The stage ends when the network has taken it, and fails when the client is gone;
   * the next part may be sent after that.
   */
  CompletionStage<Void> send(byte[] part);

  /** Ends the answer after the parts that were sent. */
  void close();
}
