package io.punctual.lock.internal.kind;

import io.punctual.PunctualException;
import io.punctual.lock.DistributedLock;
import io.punctual.lock.DistributedReadWriteLock;
import io.punctual.lock.LockHandle;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.attempt.Attempts;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.client.StackRoom;
import io.punctual.lock.internal.hold.Grant;
import io.punctual.lock.internal.hold.ReleaseRequest;
import io.punctual.lock.internal.hold.ServerHold;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.RedisCallException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReadWriteLock;

/** A read-write lock on a server. Immutable. */
public final class ServerReadWriteLock implements DistributedReadWriteLock {
  /** The mode in the handles of readers; bucket.lua lists the modes. */
  private static final String READ = "r";

  private static final String WRITE = "w";

  private final Attempts attempts;
  private final LockClient client;
  private final ThreadReadWriteHolds threads;
  private final LockKeys keys;
  private final ServerLock read;
  private final ServerLock write;

  /**
   * Creates a lock.
   *
   * @param threads the read-write locks that threads hold in this client
   */
  public ServerReadWriteLock(
      Attempts attempts, ThreadReadWriteHolds threads, LockKeys keys, LockOptions options) {
    this.attempts = attempts;
    this.client = attempts.client();
    this.threads = threads;
    this.keys = keys;
    this.read = new ServerLock(attempts, keys, READ, options);
    this.write = new ServerLock(attempts, keys, WRITE, options);
  }

  @Override
  public String name() {
    return keys.name();
  }

  @Override
  public DistributedLock read() {
    return read;
  }

  @Override
  public DistributedLock write() {
    return write;
  }

  @Override
  public Optional<LockHandle> downgrade(LockHandle write) {
    if (!(write instanceof ServerHold writer)
        || !HandleIds.mode(writer.id()).equals(WRITE)
        || writer.client() != client
        || !writer.name().equals(name())) {
      throw new IllegalArgumentException("Not a write handle of lock '" + name() + "': " + write);
    }
    StackRoom.requireForRelease();
    ServerHandle reader = newReader(writer); // first: an error here must not end the writer
    if (!writer.beginHandOver()) {
      return Optional.empty();
    }
    try {
      long sentAt = client.nanoTime();
      RedisReply answer = send(writer, reader);
      while (LockRequests.isIdTaken(answer)) {
        client.ids().renew(reader.id());
        reader = newReader(writer);
        answer = send(writer, reader);
      }
      LockReplyReader reply = new LockReplyReader(answer);
      boolean done = reply.number() == 1;
      attempts.passedOn(keys, LockRequests.passed(reply), sentAt);
      writer.handedOver(done ? ReleaseOutcome.RELEASED : ReleaseOutcome.LOST);
      return done ? Optional.of(take(writer, reader)) : Optional.empty();
    } catch (Throwable e) { // an error, too: nobody else would release the lock
      ReleaseRequest.send(client, attempts, reader, 0, true);
      ReleaseRequest.send(client, attempts, writer.handle(), 0, true);
      writer.handedOver(ReleaseOutcome.UNCONFIRMED);
      throw e;
    }
  }

  private ServerHandle newReader(ServerHold writer) {
    String id = client.ids().next(READ, writer.options().leaseMillis());
    return new ServerHandle(keys, writer.options(), id);
  }

  private ServerHold take(ServerHold writer, ServerHandle reader) {
    Grant grant = new Grant(reader, writer.token(), client.nanoTime(), attempts, null, () -> false);
    ServerHold hold = new ServerHold(attempts.watchdog(), grant, writer.lease());
    client.events().started();
    client.events().acquired(keys.kind(), keys.name(), writer.token(), 0);
    attempts.watchdog().watch(hold);
    return hold;
  }

  private RedisReply send(ServerHold writer, ServerHandle reader) {
    List<byte[]> argv =
        List.of(
            client.publishing(keys),
            LockRequests.bytes(writer.id()),
            LockRequests.bytes(reader.id()));
    long sentAt = client.nanoTime();
    boolean interrupted = false;
    try {
      var asked = client.run(LockScripts.DOWNGRADE, reader.scriptKeys(), argv);
      while (true) {
        try {
          return asked.get(client.answerTimeoutNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw explain(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      long silent = TimeUnit.NANOSECONDS.toMillis(client.nanoTime() - sentAt);
      throw explain(
          new RedisCallException.Unanswered("Redis has not answered for " + silent + " ms", e));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private PunctualException explain(Throwable failure) {
    return LockFailures.explain(
        client, "Lock '" + name() + "' was not downgraded, and is released", failure);
  }

  @Override
  public ReadWriteLock asReadWriteLock() {
    return new ThreadReadWriteLock(threads, this);
  }
}
