package io.punctual.embedded;

import io.punctual.spi.Reply;
import java.util.List;
import java.util.stream.Stream;

/**
 * The answer to a call, which a partition keeps in case the client repeats the call. Immutable.
 *
 * @param <A> the form in which the partition keeps the reply to a call with operations
 */
public sealed interface KeptAnswer<A> {
  /** The answer to a call with operations. */
  record Applied<A>(A reply) implements KeptAnswer<A> {}

  /**
   * The answer to a claim: its token and the ids that it leased. A repeated call looks up which of
   * the messages are still leased.
   */
  record Claimed<A>(long token, List<String> ids, boolean atMostOnce) implements KeptAnswer<A> {
    /** Keeps the ids of a reply, including the ids of messages that the store can't read. */
    public static <A> Claimed<A> of(Reply.Claimed reply, boolean atMostOnce) {
      Stream<String> messages = reply.messages().stream().map(Reply.Leased::id);
      Stream<String> unreadable = reply.unreadable().stream().map(Reply.Unreadable::id);
      return new Claimed<>(reply.token(), Stream.concat(messages, unreadable).toList(), atMostOnce);
    }
  }
}
