package io.punctual.memory;

import io.punctual.spi.Reply;
import java.util.List;

/** What a partition keeps of an answer, to give it again. */
sealed interface Answer {
  /** The answer itself. */
  record Applied(Reply.Applied reply) implements Answer {}

  /** What a claim leased; whether it still is, is looked up then. */
  record Claimed(long token, List<String> ids) implements Answer {
    static Claimed of(Reply.Claimed reply) {
      return new Claimed(reply.token(), reply.messages().stream().map(Reply.Leased::id).toList());
    }
  }
}
