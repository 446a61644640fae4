package io.punctual.jdbc.partition;

import io.punctual.spi.Reply;
import java.util.List;

/** An answer as a session keeps it for repeated calls. */
sealed interface KeptAnswer {
  /** The answer itself. */
  record Applied(Reply.Applied reply) implements KeptAnswer {}

  /** The messages that a claim leased. A repeated call looks up which of them are still leased. */
  record Claimed(long token, List<String> ids, boolean atMostOnce, long engineMicros)
      implements KeptAnswer {
    static Claimed of(Reply.Claimed reply, boolean atMostOnce) {
      List<String> ids = reply.messages().stream().map(Reply.Leased::id).toList();
      return new Claimed(reply.token(), ids, atMostOnce, reply.engineMicros());
    }
  }
}
