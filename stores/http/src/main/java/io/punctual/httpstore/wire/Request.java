package io.punctual.httpstore.wire;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.spi.Announcement;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitUse;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Reply;
import io.punctual.spi.ShareLedger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to the store of a server. Each request is a method of {@link io.punctual.spi.Store} or
 * {@link io.punctual.spi.Partition} with its arguments, except {@link Hello} and {@link Listen}.
 *
 * @param <A> the type of the answer; true where the method returns nothing
 */
public sealed interface Request<A> {
  /** Returns the queues that the request concerns. */
  List<String> queues();

  /** Whether a request is sent again after its connection broke before the answer. */
  enum Repetition {
    /** It can be sent again: a second execution has no effect of its own, and the same answer. */
    HARMLESS,
    /** Its sender makes another request of it. */
    BY_SENDER,
    /** It can't be sent again, so it is sent only when the server says that it waits for it. */
    HARMFUL
  }

  /** Returns what can happen to the request if it has no answer. */
  default Repetition repetition() {
    return Repetition.HARMLESS;
  }

  /** A request to the store. */
  sealed interface OfStore<A> extends Request<A> {
    @Override
    default List<String> queues() {
      return List.of();
    }
  }

  /** A request to a partition. */
  sealed interface OfPartition<A> extends Request<A> {
    /** Returns the partition. */
    Place place();

    @Override
    default List<String> queues() {
      return List.of(place().queue());
    }
  }

  /** Asks who the server is, when a client opens the store. */
  record Hello() implements OfStore<Welcome> {}

  /** Waits for hints about partitions. */
  record Listen(String client, long number, boolean isFresh, long waitMillis, List<Place> places)
      implements Request<Hints> {
    /**
     * Creates a request.
     *
     * @param client a random id of the client
     * @param number greater than the numbers of the client's earlier requests
     * @param isFresh whether the client may have missed hints, so that all partitions get one
     * @param waitMillis how long to wait for a hint
     * @param places the partitions
     */
    public Listen {}

    @Override
    public List<String> queues() {
      return places.stream().map(Place::queue).toList();
    }

    /** The lost answer may have had hints, which only a fresh request brings back. */
    @Override
    public Repetition repetition() {
      return Repetition.BY_SENDER;
    }
  }

  /** Looks up the partitions of a queue; {@code wanted} is 0 for the store's default. */
  record FindPartitions(String queue, int wanted) implements Request<List<PartitionInfo>> {
    @Override
    public List<String> queues() {
      return List.of(queue);
    }
  }

  /** Lists the names of queues. */
  record ListQueues(String prefix, String after, int limit) implements OfStore<List<String>> {}

  /** Counts the messages of queues. */
  record CountQueues(List<String> names) implements Request<List<QueueCounts>> {
    @Override
    public List<String> queues() {
      return names;
    }
  }

  /** Finds the message with an id in each of many queues. */
  record FindInQueues(List<String> names, String id) implements Request<List<Optional<Entry>>> {
    @Override
    public List<String> queues() {
      return names;
    }
  }

  /** Counts the messages of queues that become due in spans of time. */
  record ForecastQueues(List<String> names, long fromMillis, long widthMillis, int buckets)
      implements Request<List<long[]>> {
    @Override
    public List<String> queues() {
      return names;
    }
  }

  /** Deletes a queue. */
  record DeleteQueue(String queue) implements Request<DeleteQueueOutcome> {
    @Override
    public List<String> queues() {
      return List.of(queue);
    }

    /** The second answer would be that there is no queue. */
    @Override
    public Repetition repetition() {
      return Repetition.HARMFUL;
    }
  }

  /** Asks for the times until the next messages. */
  record UntilNext(List<Place> places) implements Request<long[]> {
    @Override
    public List<String> queues() {
      return places.stream().map(Place::queue).toList();
    }
  }

  /**
   * Keeps a text about a client; answered by whether the server renews the text while the client
   * listens, so that the client need not.
   *
   * @param listener the id with which the client listens
   */
  record Announce(String client, String text, Duration keep, String listener)
      implements OfStore<Boolean> {}

  /** Lists the texts about clients. */
  record ListAnnouncements() implements OfStore<List<Announcement>> {}

  /**
   * Returns the texts about some clients.
   *
   * @param listener the id with which the client listens
   */
  record ReadAnnouncements(List<String> clients, String listener) implements OfStore<Texts> {}

  /** Asks whether the store answers. */
  record Ping() implements OfStore<Boolean> {}

  /** Opens a session; {@code forClaims} means a session for the claims of workers. */
  record OpenSession(Place place, boolean forClaims, String session, @Nullable String replaces)
      implements OfPartition<Boolean> {}

  /**
   * Makes a numbered call.
   *
   * @param sending a random number of this sending. A proxy may repeat a request on its own, and
   *     the copy does not say that it is repeated; the same number tells
   */
  record MakeCall(Place place, boolean forClaims, Call call, long sending)
      implements OfPartition<Reply> {
    /** The runtime repeats the call, which then says so. */
    @Override
    public Repetition repetition() {
      return Repetition.BY_SENDER;
    }
  }

  /** Closes a session. */
  record CloseSession(Place place, boolean forClaims, String session)
      implements OfPartition<Boolean> {}

  /** Finds a message. */
  record Find(Place place, String id) implements OfPartition<Optional<Entry>> {}

  /** Finds messages. */
  record FindMany(Place place, List<String> ids) implements OfPartition<List<Entry>> {}

  /**
   * Lists the messages in a state.
   *
   * @param cursor the cursor of an earlier page, or null
   * @param after an entry without content, instead of a cursor: the page begins after it; or null
   */
  record Browse(
      Place place, EntryQuery query, @Nullable String cursor, @Nullable Entry after, int limit)
      implements OfPartition<EntryPage> {}

  /** Counts the messages; {@code now} means no earlier counts. */
  record Count(Place place, boolean now) implements OfPartition<PartitionCounts> {}

  /** Counts the messages that become due in spans of time. */
  record Forecast(Place place, long fromMillis, long widthMillis, int buckets)
      implements OfPartition<long[]> {}

  /** Pauses or resumes. */
  record Pause(Place place, boolean paused, PauseNote note) implements OfPartition<Boolean> {}

  /** Sets the limits. */
  record SetLimits(Place place, QueueLimits limits) implements OfPartition<Boolean> {}

  /** Reads the use of the limits. */
  record ReadLimitUse(Place place) implements OfPartition<Optional<LimitUse>> {}

  /** Moves shares of the limits. */
  record MoveShares(Place place, ShareLedger expected, ShareLedger next)
      implements OfPartition<Optional<LimitUse>> {}

  /** Removes messages. */
  record Purge(Place place, Set<State> states) implements OfPartition<Long> {
    /** The second purge would remove later messages, and would count only those. */
    @Override
    public Repetition repetition() {
      return Repetition.HARMFUL;
    }
  }

  /** Tells that the client has no room for due messages. */
  record HandOver(Place place) implements OfPartition<Boolean> {}
}
