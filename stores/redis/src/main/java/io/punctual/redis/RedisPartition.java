package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.Durability;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.Witness;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.deployment.OrderedRoute;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.PauseNoteFormat;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.WakeUp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A partition on a server. Each call is one script. Thread-safe. */
final class RedisPartition implements Partition {
  private static final Logger log = Logs.of(RedisPartition.class);

  /**
   * The number of operations that clients should send in a call. Such a call takes about 5 ms of
   * the server's time if each operation replaces a message in a queue of a million messages.
   */
  private static final int OPERATIONS_PER_CALL = 300;

  private final String queue;
  private final int index;
  private final int partitions;
  private final PartitionKeys keys;
  private final Deployment deployment;
  private final QueueRegistry registry;
  private final OrderedRoute route;
  private final Waiter waiter;
  private final PartitionCount count;
  private final ServerClock clock = new ServerClock(System::nanoTime);
  private final CallReplies replies;
  private final Inspection inspection = new Inspection(this);

  /** Whether this client has added the queue to the list of queues since it opened the session. */
  private final AtomicBoolean listed = new AtomicBoolean();

  RedisPartition(
      String queue, int index, int partitions, Deployment deployment, QueueRegistry registry) {
    this.queue = queue;
    this.index = index;
    this.partitions = partitions;
    this.deployment = deployment;
    this.registry = registry;
    this.keys = new PartitionKeys(deployment.settings().namespace(), queue, index);
    this.count = new PartitionCount(deployment, queue);
    this.replies = new CallReplies(queue, index, clock);
    this.waiter = new Waiter(deployment, keys, registry.client(), this::pass);
    this.route = new OrderedRoute(deployment, keys.partition().get(0));
  }

  Waiter waiter() {
    return waiter;
  }

  PartitionKeys keys() {
    return keys;
  }

  Inspection inspection() {
    return inspection;
  }

  @Override
  public String queue() {
    return queue;
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public boolean prefersBatching() {
    return true;
  }

  @Override
  public int operationsPerCall() {
    return OPERATIONS_PER_CALL;
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return ask(PartitionScripts.OPEN, keys.withSessions(session, replaces), argv(), true)
        .thenApply(
            answer -> {
              listed.set(false);
              clock.heard(ReplyReader.read(answer, ReplyReader::nextLong));
              return null;
            });
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return deployment
        .link(keys.partition().get(0))
        .send(Request.delete(keys.session(session)))
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(answer -> null);
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    return call.body() instanceof Call.Claim claim
        ? claim(call, claim)
        : apply(call, (Call.Apply) call.body());
  }

  private CompletionStage<Reply> claim(Call call, Call.Claim claim) {
    if (claim.limit() < 0 || claim.limit() > MAX_PAGE || claim.leaseMillis() < 1) {
      return refused("A claim takes up to " + MAX_PAGE + " messages for 1 ms or more: " + claim);
    }
    String client = claim.limit() == 0 ? "" : waiter.client();
    List<byte[]> argv = CallArguments.of(partitions, call, claim, client);
    return run(PartitionScripts.CLAIM, call, argv)
        .thenApply(answer -> heard(replies.of(call, answer), claim, client))
        .exceptionallyCompose(RedisPartition::withoutSession);
  }

  private Reply heard(Reply reply, Call.Claim claim, String client) {
    if (reply instanceof Reply.Claimed claimed && !client.isEmpty()) {
      int taken = claimed.messages().size() + claimed.unreadable().size();
      waiter.claimed(taken < claim.limit() && claimed.untilNextMicros() > 0);
    }
    return reply;
  }

  private void pass(String client) {
    deployment
        .run(PartitionScripts.PASS, keys.partition(), argv(utf8(client)))
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                log.debug("Could not tell that this client no longer waits", failure);
              }
            });
  }

  private CompletionStage<Reply> apply(Call call, Call.Apply apply) {
    if (apply.operations().size() > MAX_OPERATIONS) {
      return refused("A call carries up to " + MAX_OPERATIONS + " operations");
    }
    if (apply.operations().stream().anyMatch(Operation::mayAddMessage)) {
      list();
    }
    List<byte[]> argv = CallArguments.of(partitions, call, apply, clock.millis());
    return run(PartitionScripts.APPLY, call, argv)
        .thenApply(answer -> withConfirmation(replies.of(call, answer), call, apply))
        .exceptionallyCompose(RedisPartition::withoutSession);
  }

  private CompletableFuture<RedisReply> run(Script script, Call call, List<byte[]> argv) {
    return route
        .run(script, keys.withSessions(call.session(), null), argv)
        .exceptionallyCompose(SpiFailures::failed);
  }

  /**
   * Replies that there is no session if the partition does not exist: a deletion of the queue ends
   * its sessions.
   */
  private static CompletionStage<Reply> withoutSession(Throwable failure) {
    return SpiFailures.isUnfounded(failure)
        ? CompletableFuture.completedStage(new Reply.NoSession())
        : CompletableFuture.failedStage(failure);
  }

  /**
   * Adds a confirmation of the durability to the reply, unless no durability is required. An
   * extended lease needs no confirmation, and neither does the lease of a claim.
   */
  private Reply withConfirmation(Reply reply, Call call, Call.Apply apply) {
    Durability asked = apply.durability();
    Durability durability = asked == null ? deployment.settings().durability() : asked;
    if (durability.equals(Durability.NONE)
        || !(reply instanceof Reply.Applied applied)
        || apply.operations().stream().allMatch(Operation.Extend.class::isInstance)) {
      return reply;
    }
    return new Reply.Applied(
        applied.outcomes(),
        applied.engineMicros(),
        deployment
            .confirm(durability, Witness.ofCall(keys.session(call.session()), call.number()))
            .thenApply(reasons -> reasons.get(0)));
  }

  /**
   * Adds the queue's name to the list of queues before a session first stores a message; after a
   * failure, the next call that stores a message tries again. A server that loses its data also
   * loses the session, and the next session adds the name again. On a Cluster the list may be on a
   * different server; if only that server loses its data, the name is missing until the next
   * session.
   */
  private void list() {
    if (!listed.getAndSet(true)) {
      registry
          .add(queue)
          .whenComplete(
              (reply, failure) -> {
                if (failure != null) {
                  listed.set(false);
                }
              });
    }
  }

  private static <T> CompletionStage<T> refused(String why) {
    return CompletableFuture.failedStage(new PartitionException(why, null));
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return look(PartitionScripts.FIND, argv(Ids.bytes(id)), ListingReplies::found);
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    Listing listing = new Listing(this, query);
    return cursor == null
        ? inspection.regular().thenCompose(done -> listing.page(cursor, limit))
        : listing.page(cursor, limit);
  }

  @Override
  public String cursorAfter(EntryQuery query, Entry entry) {
    return Cursor.after(query, entry).toString();
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return counted()
        .thenCompose(
            counted ->
                counted.isComplete()
                    ? CompletableFuture.completedFuture(counted)
                    : inspection.whole().thenCompose(done -> counted()))
        .thenApply(Counted::counts);
  }

  private CompletableFuture<Counted> counted() {
    return look(PartitionScripts.COUNTS, argv(), Counted::of);
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    if (widthMillis < 1) {
      return wrong("A span of a forecast is 1 ms or more");
    }
    if (buckets < 1 || buckets > MAX_BUCKETS) {
      return wrong("A forecast has 1 to " + MAX_BUCKETS + " spans");
    }
    List<byte[]> argv = argv();
    long edge = fromMillis;
    for (int i = 0; i <= buckets; i++) {
      argv.add(ascii(edge));
      edge = edge > Long.MAX_VALUE - widthMillis ? Long.MAX_VALUE : edge + widthMillis;
    }
    return look(PartitionScripts.FORECAST, argv, values -> counts(values, buckets));
  }

  private static long[] counts(ReplyReader values, int buckets) {
    long[] counts = new long[buckets];
    for (int i = 0; i < buckets; i++) {
      counts[i] = values.nextLong();
    }
    return counts;
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return paused
        ? registry.addAround(queue, () -> setPaused(true, note))
        : setPaused(false, PauseNote.NONE);
  }

  private CompletableFuture<@Nullable Void> setPaused(boolean paused, PauseNote note) {
    List<byte[]> argv = argv(ascii(paused ? 1 : 0), utf8(PauseNoteFormat.encode(note)));
    return ask(PartitionScripts.PAUSE, keys.partition(), argv, paused).thenApply(values -> null);
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    String text = LimitFields.text(limits);
    return text.isEmpty()
        ? setLimits(text, false)
        : registry.addAround(queue, () -> setLimits(text, true));
  }

  private CompletableFuture<@Nullable Void> setLimits(String text, boolean create) {
    return ask(PartitionScripts.LIMIT, keys.partition(), argv(utf8(text)), create)
        .thenApply(values -> null);
  }

  @Override
  public CompletionStage<Optional<LimitUse>> limitUse() {
    return share("", "");
  }

  @Override
  public CompletionStage<Optional<LimitUse>> moveShares(ShareLedger expected, ShareLedger next) {
    return share(expected.text(), next.text());
  }

  private CompletionStage<Optional<LimitUse>> share(String expected, String next) {
    return partitions == 1
        ? CompletableFuture.completedStage(Optional.empty())
        : look(PartitionScripts.SHARE, argv(utf8(expected), utf8(next)), LimitFields::use);
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return inspection.regular().thenCompose(done -> new PurgeRun(this, states).run());
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return waiter.add(listener);
  }

  @Override
  public void handOver() {
    waiter.stop();
  }

  /** Sends a request that only reads a key of this partition. */
  CompletableFuture<RedisReply> read(byte[] key, Request request) {
    return deployment.link(key).send(request).exceptionallyCompose(SpiFailures::failed);
  }

  /** Runs a script that concerns the partition but no session, and reads its reply. */
  <T> CompletableFuture<T> look(Script script, List<byte[]> argv, Function<ReplyReader, T> reader) {
    return ask(script, keys.partition(), argv, false)
        .thenApply(answer -> ReplyReader.read(answer, reader));
  }

  /** Runs a script on the partition; see {@link PartitionCount#run}. */
  private CompletableFuture<RedisReply> ask(
      Script script, List<byte[]> keys, List<byte[]> argv, boolean create) {
    return count.run(script, keys, argv, this.keys, partitions, create);
  }

  /**
   * Returns the arguments of a script. The first argument is the number of partitions that this
   * client assumes.
   */
  List<byte[]> argv(byte[]... more) {
    List<byte[]> argv = new ArrayList<>();
    argv.add(ascii(partitions));
    argv.addAll(List.of(more));
    return argv;
  }

  private static byte[] ascii(long number) {
    return Long.toString(number).getBytes(US_ASCII);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  private static <T> CompletionStage<T> wrong(String why) {
    return CompletableFuture.failedStage(new IllegalArgumentException(why));
  }
}
