package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.redis.client.connection.RedisReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends the scripts that acquire and renew locks, and reads the replies to acquisitions.
 * Thread-safe.
 */
final class LockServer {
  private static final byte[] WAITS = {'1'};
  private static final byte[] DOES_NOT = {'0'};

  private final LockClient client;

  LockServer(LockClient client) {
    this.client = client;
  }

  /**
   * A request for a lock.
   *
   * @param arrival the place in the server's line of waiters that the handle keeps or takes over; 0
   *     for the end of the line
   */
  record Request(Attempt attempt, long arrival) {}

  /** A lock that was granted to a different handle of this client. */
  record Passed(String handle, long token, long millis) {}

  /**
   * The replies to requests.
   *
   * @param replies a reply for each request, in the order of the requests
   * @param passed the locks that the script granted to other handles of this client
   * @param answer the whole reply with its connection, over which replicas can confirm the grants
   */
  record Replies(List<LockReply> replies, List<Passed> passed, RedisReply answer) {}

  /** Requests locks of the same batch; see {@link RequestBatches}. */
  CompletableFuture<Replies> acquire(List<Request> requests) {
    Attempt any = requests.get(0).attempt();
    List<byte[]> all = new ArrayList<>(1 + 6 * requests.size());
    List<byte[]> argv = new ArrayList<>(1 + 3 * requests.size());
    all.add(any.keys().counter());
    argv.add(client.publishing(any.keys()));
    for (Request request : requests) {
      Attempt attempt = request.attempt();
      all.addAll(attempt.keys().forHandle(attempt.handle()));
      argv.add(bytes(attempt.handle()));
      argv.add(attempt.waits() ? WAITS : DOES_NOT);
      argv.add(bytes(request.arrival()));
    }
    return client
        .run(LockScripts.of(any.keys().kind()).acquire(), all, argv, any.options().isDurable())
        .thenApply(answer -> replies(requests.size(), answer));
  }

  private static Replies replies(int count, RedisReply answer) {
    LockReplyReader reply = new LockReplyReader(answer);
    List<LockReply> replies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      replies.add(LockReply.read(reply));
    }
    return new Replies(replies, passed(reply), answer);
  }

  /** Reads the locks that were granted to other handles of this client, from the end of a reply. */
  static List<Passed> passed(LockReplyReader reply) {
    List<Passed> passed = new ArrayList<>();
    while (reply.hasNext()) {
      passed.add(new Passed(reply.text(), reply.number(), reply.number()));
    }
    return passed;
  }

  /** Renews the lease of an attempt to which the server has granted the lock. */
  CompletableFuture<RedisReply> renew(Attempt granted) {
    return client.run(
        LockScripts.of(granted.keys().kind()).renew(),
        granted.keys().withCounter(granted.handle()),
        List.of(bytes(granted.handle())),
        granted.options().isDurable());
  }

  /**
   * Renews the leases of locks of the same batch. The reply has, for each lock, its token, or
   * {@link Watchdog#NOT_HELD} if the handle does not hold the lock.
   */
  CompletableFuture<RedisReply> renew(List<ServerHold> holds) {
    ServerHold any = holds.get(0);
    List<byte[]> all = new ArrayList<>();
    List<byte[]> argv = new ArrayList<>();
    all.add(any.keys().counter());
    for (ServerHold hold : holds) {
      all.addAll(hold.keys().forHandle(hold.handle()));
      argv.add(bytes(hold.handle()));
    }
    return client.run(
        LockScripts.of(any.keys().kind()).renew(), all, argv, any.options().isDurable());
  }

  /** Returns a text as an argument of a script. */
  static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Returns a number as an argument of a script. */
  static byte[] bytes(long number) {
    return bytes(Long.toString(number));
  }
}
