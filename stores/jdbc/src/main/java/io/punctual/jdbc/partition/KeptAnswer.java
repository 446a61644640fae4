package io.punctual.jdbc.partition;

import io.punctual.spi.Reply;
import java.util.List;

/** The result of a call, which a session keeps in case the call is repeated. */
sealed interface KeptAnswer {
  /** The reply of an apply, which is repeated unchanged. */
  record Applied(Reply.Applied reply) implements KeptAnswer {}

  /**
   * The messages that a claim leased. The reply of a repeated claim has only the messages that are
   * still leased.
   */
  record Claimed(long token, List<String> ids, boolean atMostOnce, long engineMicros)
      implements KeptAnswer {
    static Claimed of(Reply.Claimed reply, boolean atMostOnce) {
      List<String> ids = reply.messages().stream().map(Reply.Leased::id).toList();
      return new Claimed(reply.token(), ids, atMostOnce, reply.engineMicros());
    }
  }
}
