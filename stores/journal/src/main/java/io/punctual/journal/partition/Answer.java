package io.punctual.journal.partition;

import io.punctual.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** An answer as a partition keeps it for repeated calls. */
sealed interface Answer {
  /** The answer itself, once the changes are safe. */
  record Applied(CompletableFuture<Reply> reply) implements Answer {}

  /** The messages that a claim leased. A repeated call looks up which of them are still leased. */
  record Claimed(long token, List<String> ids, boolean atMostOnce) implements Answer {
    static Claimed of(Reply.Claimed reply, boolean atMostOnce) {
      Stream<String> messages = reply.messages().stream().map(Reply.Leased::id);
      Stream<String> unreadable = reply.unreadable().stream().map(Reply.Unreadable::id);
      List<String> ids = Stream.concat(messages, unreadable).toList();
      return new Claimed(reply.token(), ids, atMostOnce);
    }
  }
}
