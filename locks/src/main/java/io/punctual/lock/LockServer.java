package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.redis.client.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The scripts that acquire and renew locks, as calls with typed replies. Thread-safe. */
final class LockServer {
  private static final byte[] WAITS = {'1'};
  private static final byte[] DOES_NOT = {'0'};

  private final LockClient client;

  LockServer(LockClient client) {
    this.client = client;
  }

  /**
   * A request for one lock.
   *
   * @param arrival the place in the line to keep or to take over, or 0 for the end of the line
   */
  record Request(LockKeys place, LockOptions terms, String handle, boolean waits, long arrival) {}

  /** A lock that passed to another handle of this client. */
  record Passed(String handle, long token, long millis) {}

  /**
   * The replies to requests.
   *
   * @param replies a reply for each request, in their order
   * @param passed the locks that passed to other handles of this client meanwhile
   * @param answer the answer that replicas can confirm
   */
  record Replies(List<LockReply> replies, List<Passed> passed, Answer answer) {}

  /** Asks for locks of one bucket and kind. */
  CompletableFuture<Replies> acquire(List<Request> requests) {
    Request any = requests.get(0);
    List<byte[]> keys = new ArrayList<>(1 + 6 * requests.size());
    List<byte[]> argv = new ArrayList<>(1 + 3 * requests.size());
    keys.add(any.place().counter());
    argv.add(client.publishing(any.place()));
    for (Request one : requests) {
      keys.addAll(one.place().keys(one.handle()));
      argv.add(bytes(one.handle()));
      argv.add(one.waits() ? WAITS : DOES_NOT);
      argv.add(bytes(one.arrival()));
    }
    return client
        .run(LockScripts.of(any.place().kind()).acquire(), keys, argv, any.terms().isDurable())
        .thenApply(answer -> replies(requests.size(), answer));
  }

  private static Replies replies(int count, Answer answer) {
    Reading reading = new Reading(answer);
    List<LockReply> replies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      replies.add(LockReply.read(reading));
    }
    return new Replies(replies, passed(reading), answer);
  }

  /** Reads the locks that passed to other handles of this client, at the end of a reply. */
  static List<Passed> passed(Reading reading) {
    List<Passed> passed = new ArrayList<>();
    while (reading.hasNext()) {
      passed.add(new Passed(reading.text(), reading.number(), reading.number()));
    }
    return passed;
  }

  /** Renews one lease. */
  CompletableFuture<Answer> renew(LockKeys place, String handle, LockOptions terms) {
    return client.run(
        LockScripts.of(place.kind()).renew(),
        place.withCounter(handle),
        List.of(bytes(handle)),
        terms.isDurable());
  }

  /** Renews the leases of locks of one bucket and kind; answers a token for each lock. */
  CompletableFuture<Answer> renew(List<ServerHold> holds) {
    ServerHold any = holds.get(0);
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> argv = new ArrayList<>();
    keys.add(any.place().counter());
    for (ServerHold hold : holds) {
      keys.addAll(hold.place().keys(hold.handle()));
      argv.add(bytes(hold.handle()));
    }
    return client.run(
        LockScripts.of(any.place().kind()).renew(), keys, argv, any.terms().isDurable());
  }

  /** Returns a text as scripts take it. */
  static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Returns a number as scripts take it. */
  static byte[] bytes(long number) {
    return bytes(Long.toString(number));
  }
}
