package io.punctual.lock.internal.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockReply;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends the scripts that acquire and renew locks, and reads the replies to acquisitions.
 * Thread-safe.
 */
public final class LockRequests {
  /** The server's reply to a renewal if the handle does not hold its lock. */
  public static final long NOT_HELD = -1;

  private static final byte[] ID_TAKEN = bytes("I");

  private final LockClient client;

  LockRequests(LockClient client) {
    this.client = client;
  }

  /**
   * A request for a lock.
   *
   * @param waits whether the handle waits for the lock if it is not free
   * @param arrival the place in the server's line of waiters that the handle keeps or takes over; 0
   *     for the end of the line
   * @param repeated whether the server may have run an earlier request for this handle
   */
  public record Request(ServerHandle handle, boolean waits, long arrival, boolean repeated) {}

  public record Passed(String handle, long token, long millis) {}

  /**
   * The waiters of this client. A script can grant locks to them, and its reply names these waiters
   * and locks.
   */
  public interface Waiters {
    /**
     * Notifies waiters to which a script has granted locks.
     *
     * @param any the keys of one of the script's locks, which are all in the same bucket
     * @param sentAt when this client sent the script
     */
    void passedOn(LockKeys any, List<Passed> locks, long sentAt);
  }

  /**
   * The replies to requests.
   *
   * @param replies a reply for each request, in the order of the requests
   * @param passed the locks that the script granted to other handles of this client
   */
  public record Replies(List<LockReply> replies, List<Passed> passed) {}

  /** Requests locks of the same batch; see {@link RequestBatches}. */
  public CompletableFuture<Replies> acquire(List<Request> requests) {
    ServerHandle any = requests.get(0).handle();
    List<byte[]> all = new ArrayList<>(1 + 6 * requests.size());
    List<byte[]> argv = new ArrayList<>(1 + 4 * requests.size());
    all.add(any.keys().counter());
    argv.add(client.publishing(any.keys()));
    for (Request request : requests) {
      ServerHandle handle = request.handle();
      all.addAll(handle.keys().forHandle(handle.id()));
      argv.add(bytes(handle.id()));
      argv.add(bytes(request.waits()));
      argv.add(bytes(request.arrival()));
      argv.add(bytes(request.repeated()));
    }
    return client
        .run(LockScripts.of(any.keys().kind()).acquire(), all, argv)
        .thenApply(answer -> replies(requests.size(), answer));
  }

  private static Replies replies(int count, RedisReply answer) {
    LockReplyReader reply = new LockReplyReader(answer);
    List<LockReply> replies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      replies.add(LockReply.read(reply));
    }
    return new Replies(replies, passed(reply));
  }

  /** Reads the locks that were granted to other handles of this client, from the end of a reply. */
  public static List<Passed> passed(LockReplyReader reply) {
    List<Passed> passed = new ArrayList<>();
    while (reply.hasNext()) {
      passed.add(new Passed(reply.text(), reply.number(), reply.number()));
    }
    return passed;
  }

  /**
   * Renews the leases of locks of the same batch, or extends them to the leases in the options of
   * the handles. The reply has, for each lock, its fencing token (0 for a semaphore), or {@link
   * #NOT_HELD} if the handle does not hold the lock.
   */
  public CompletableFuture<RedisReply> renew(List<ServerHandle> handles) {
    return client.run(renewal(handles), keys(handles), leases(handles));
  }

  /**
   * Returns a request that proves that the server has the grants of locks of the same batch, with
   * leases that last at least as long as the leases in the options of the handles.
   *
   * @param tokens the fencing token of each lock
   */
  static Witness witness(List<ServerHandle> handles, List<Long> tokens) {
    return Witness.of(renewal(handles), keys(handles), leases(handles), tokens);
  }

  private static Script renewal(List<ServerHandle> handles) {
    return LockScripts.of(handles.get(0).keys().kind()).renew();
  }

  private static List<byte[]> keys(List<ServerHandle> handles) {
    List<byte[]> all = new ArrayList<>();
    all.add(handles.get(0).keys().counter());
    handles.forEach(handle -> all.addAll(handle.keys().forHandle(handle.id())));
    return all;
  }

  private static List<byte[]> leases(List<ServerHandle> handles) {
    List<byte[]> argv = new ArrayList<>();
    for (ServerHandle handle : handles) {
      argv.add(bytes(handle.id()));
      argv.add(bytes(handle.options().leaseMillis()));
    }
    return argv;
  }

  /** Returns a text as an argument of a script. */
  public static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Returns a flag as an argument of a script. */
  public static byte[] bytes(boolean flag) {
    return bytes(flag ? "1" : "0");
  }

  /** Returns whether a script did nothing, because the id in the request belongs to a clone. */
  public static boolean isIdTaken(RedisReply answer) {
    return answer.values().get(0) instanceof byte[] code && Arrays.equals(code, ID_TAKEN);
  }

  /** Returns a number as an argument of a script. */
  public static byte[] bytes(long number) {
    return bytes(Long.toString(number));
  }
}
