package io.punctual.embedded;

import io.punctual.spi.Reply;
import java.util.List;
import java.util.stream.Stream;

/**
 * The answer to a call, which a partition keeps in case the client repeats the call. Immutable.
 *
 * @param <A> the form in which the partition keeps the reply to a call with operations
 */
public sealed interface SessionAnswer<A> {
  /** The answer to a call with operations. */
  record Applied<A>(A reply) implements SessionAnswer<A> {}

  /**
   * The answer to a claim: its token and the ids that it leased. A repeated call looks up which of
   * the messages are still leased.
   */
  record Claimed<A>(long token, List<String> ids) implements SessionAnswer<A> {}

  /** The answer to an at-most-once claim, with the messages that the claim has removed. */
  record Taken<A>(Reply.Claimed reply) implements SessionAnswer<A> {
    /** Returns the answer to the repeated claim. */
    public Reply.Claimed again(EngineTime now) {
      return new Reply.Claimed(
          reply.messages(), reply.unreadable(), reply.token(), now.micros(), 0);
    }
  }

  /**
   * Keeps the answer to a claim.
   *
   * @param atMostOnce whether the claim has removed its messages
   */
  static <A> SessionAnswer<A> of(Reply.Claimed reply, boolean atMostOnce) {
    if (atMostOnce) {
      return new Taken<>(reply);
    }
    Stream<String> messages = reply.messages().stream().map(Reply.Leased::id);
    Stream<String> unreadable = reply.unreadable().stream().map(Reply.Unreadable::id);
    return new Claimed<>(reply.token(), Stream.concat(messages, unreadable).toList());
  }
}
