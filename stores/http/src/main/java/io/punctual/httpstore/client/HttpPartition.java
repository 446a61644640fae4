package io.punctual.httpstore.client;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.httpstore.wire.PartitionInfo;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.WakeUp;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A partition of a server's store. Thread-safe. */
public final class HttpPartition implements Partition {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Duration PURGE = Duration.ofMinutes(10);

  private final Transport transport;
  private final HintLoop hints;
  private final Place place;
  private final PartitionInfo info;
  private final RemoteSessions sessions;
  private final @Nullable RemoteSessions claimSessions;
  private final AtomicBoolean handingOver = new AtomicBoolean();

  /** Creates the partition at a place. */
  public HttpPartition(Transport transport, HintLoop hints, Place place, PartitionInfo info) {
    this.transport = transport;
    this.hints = hints;
    this.place = place;
    this.info = info;
    sessions = new RemoteSessions(false);
    claimSessions = info.hasClaimSessions() ? new RemoteSessions(true) : null;
  }

  private final class RemoteSessions implements Sessions {
    private final boolean forClaims;

    RemoteSessions(boolean forClaims) {
      this.forClaims = forClaims;
    }

    @Override
    public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
      return done(new Request.OpenSession(place, forClaims, session, replaces));
    }

    @Override
    public CompletionStage<Reply> call(Call call) {
      return transport.send(new Request.MakeCall(place, forClaims, call, RANDOM.nextLong()));
    }

    @Override
    public CompletionStage<@Nullable Void> closeSession(String session) {
      return done(new Request.CloseSession(place, forClaims, session));
    }
  }

  private CompletionStage<@Nullable Void> done(Request<Boolean> request) {
    return transport.send(request).thenAccept(done -> {});
  }

  /** Returns the place of this partition. */
  public Place place() {
    return place;
  }

  @Override
  public String queue() {
    return place.queue();
  }

  @Override
  public int index() {
    return place.index();
  }

  @Override
  public @Nullable Sessions claimSessions() {
    return claimSessions;
  }

  @Override
  public boolean prefersBatching() {
    return true;
  }

  @Override
  public int operationsPerCall() {
    return Math.max(1, Math.min(MAX_OPERATIONS, info.operationsPerCall()));
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return sessions.openSession(session, replaces);
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    return sessions.call(call);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return sessions.closeSession(session);
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return transport.send(new Request.Find(place, id));
  }

  @Override
  public CompletionStage<List<Entry>> find(Collection<String> ids) {
    return transport.send(new Request.FindMany(place, List.copyOf(ids)));
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    try {
      PageCursor at = PageCursor.parse(cursor);
      return transport
          .send(new Request.Browse(place, query, at.cursor(), at.after(), limit))
          .thenApply(PageCursor::of);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public String cursorAfter(EntryQuery query, Entry entry) {
    return PageCursor.after(entry);
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return transport.send(new Request.Count(place, false));
  }

  @Override
  public CompletionStage<PartitionCounts> countsNow() {
    return transport.send(new Request.Count(place, true));
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return transport.send(new Request.Forecast(place, fromMillis, widthMillis, buckets));
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return done(new Request.Pause(place, paused, note));
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return done(new Request.SetLimits(place, limits));
  }

  @Override
  public CompletionStage<Optional<LimitUse>> limitUse() {
    return transport.send(new Request.ReadLimitUse(place));
  }

  @Override
  public CompletionStage<Optional<LimitUse>> moveShares(ShareLedger expected, ShareLedger next) {
    return transport.send(new Request.MoveShares(place, expected, next));
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return transport.send(new Request.Purge(place, Set.copyOf(states)), PURGE);
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return hints.add(place, listener);
  }

  /** Tells the server, unless an earlier request tells it already. */
  @Override
  public void handOver() {
    if (!handingOver.getAndSet(true)) {
      CompletionStage<?> unused =
          transport
              .send(new Request.HandOver(place))
              .whenComplete((done, failure) -> handingOver.set(false));
    }
  }
}
