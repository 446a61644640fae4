package io.punctual.httpstore.wire;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A document that is being read. For a single thread.
 *
 * @param parser stands at the current token
 * @param isStrict whether unknown names are refused; otherwise they are ignored
 */
record Input(JsonParser parser, boolean isStrict) {
  /** The largest number of elements of a list in a request. */
  private static final int MOST_IN_REQUESTS = 100_000;

  /** The largest number of elements of a list in an answer. */
  private static final int MOST_IN_ANSWERS = 10_000_000;

  /** Fails unless the current token is of this kind. */
  void expect(JsonToken token, String what) {
    if (parser.currentToken() != token) {
      throw new UnreadableException("it has " + parser.currentToken() + " instead of " + what);
    }
  }

  /** Moves to the next token, and returns whether it is not this one. */
  boolean nextIsNot(JsonToken end) {
    JsonToken token = parser.nextToken();
    if (token == null) {
      throw new UnreadableException("it ends too early");
    }
    return token != end;
  }

  /** Fails if a list has too many elements. */
  void bound(int elements) {
    int most = isStrict ? MOST_IN_REQUESTS : MOST_IN_ANSWERS;
    if (elements > most) {
      throw new UnreadableException("a list has more than " + most + " elements");
    }
  }
}
