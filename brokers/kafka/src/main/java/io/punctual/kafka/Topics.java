package io.punctual.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.runtime.LogThrottle;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which topics exist before records are sent to them, because a send to a missing topic
 * waits for {@code max.block.ms} and holds up the records of all other topics. Kafka's
 * administrative interface answers at once. A missing topic is then looked up by the producer on a
 * different thread, because Kafka may create the topic for the producer. Thread-safe.
 */
final class Topics {
  /** How long a topic counts as missing after a look-up. */
  private static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How long a message waits for a leader before Kafka is asked again. */
  private static final Duration WITHOUT_LEADER = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(Topics.class);
  private static final int THREADS = 8;
  private static final Duration CLOSE_TIME = Duration.ofSeconds(1);

  private final Map<String, Object> settings;
  private final boolean hasOwnPartitioner;
  private final LogThrottle unled = new LogThrottle(1, Duration.ofSeconds(10));
  private final int patienceMillis;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Map<String, Search> searches = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor threads;
  private volatile @Nullable Admin admin;

  @GuardedBy("this") private boolean closed;

  /**
   * The state of a topic at its last look-up.
   *
   * @param failure why no record can be sent to the topic now, or null
   * @param pause how long a message of the topic has to wait for the end of a look-up or for a
   *     leader, or null
   * @param leaders which partitions have no leader
   */
  record Finding(@Nullable Throwable failure, @Nullable Duration pause, Leaders leaders) {
    static final Finding READY = new Finding(null, null, Leaders.ALL);

    Finding(@Nullable Throwable failure, @Nullable Duration pause) {
      this(failure, pause, Leaders.ALL);
    }

    /** Returns how long a record with this key has to wait, or null if it can be sent. */
    @Nullable Duration pause(byte @Nullable [] key) {
      return leaders.isMissing(key) ? WITHOUT_LEADER : pause;
    }
  }

  /** A look-up of a topic that Kafka does not have; it ends with a failure or with the topic. */
  private static final class Search {
    private final long beganNanos = System.nanoTime();
    private volatile @Nullable Throwable failure;
    private volatile long endNanos;

    void failed(Throwable cause) {
      endNanos = System.nanoTime() + REMEMBERED_NANOS;
      failure = cause;
    }

    boolean isOver() {
      return failure != null && System.nanoTime() - endNanos >= 0;
    }

    Finding finding() {
      if (failure != null) {
        return new Finding(failure, null);
      }
      long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
      return new Finding(null, Duration.ofMillis(Math.max(50, Math.min(1_000, age))));
    }
  }

  /**
   * Creates the view of the topics.
   *
   * @param settings the settings of the producer
   */
  Topics(Map<String, Object> settings) {
    this.settings = settings;
    patienceMillis = ProducerSettings.blockMillis(settings);
    admin = admin(settings);
    hasOwnPartitioner =
        settings.containsKey(ProducerConfig.PARTITIONER_CLASS_CONFIG)
            || settings.containsKey(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "punctual-kafka-topics");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  private static @Nullable Admin admin(Map<String, Object> settings) {
    try {
      return Admin.create(ProducerSettings.ofAdmin(settings));
    } catch (KafkaException e) {
      log.warn(
          "No administrative client with these properties: the sends themselves find out which"
              + " topics exist, and one that is missing holds up the others",
          e);
      return null;
    }
  }

  /** Returns what is known about each of these topics; asks Kafka about those that are new. */
  Map<String, Finding> find(Collection<String> topics, Producer<?, ?> producer)
      throws InterruptedException {
    Map<String, Finding> findings = new HashMap<>();
    Admin asked = admin;
    searches.values().removeIf(Search::isOver);
    for (String topic : topics) {
      Search search = searches.get(topic);
      if (search != null) {
        findings.put(topic, search.finding());
      } else if (known.contains(topic) || asked == null) {
        findings.put(topic, Finding.READY);
      }
    }
    Set<String> unknown = new HashSet<>(topics);
    unknown.removeAll(findings.keySet());
    if (asked != null && !unknown.isEmpty()) {
      ask(asked, unknown, findings, producer);
    }
    return findings;
  }

  private void ask(
      Admin asked, Set<String> topics, Map<String, Finding> findings, Producer<?, ?> producer)
      throws InterruptedException {
    long beganNanos = System.nanoTime();
    Map<String, KafkaFuture<TopicDescription>> answers =
        asked
            .describeTopics(topics, new DescribeTopicsOptions().timeoutMs(patienceMillis))
            .topicNameValues();
    for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
      Finding finding = finding(answer.getKey(), answer.getValue(), producer);
      findings.put(answer.getKey(), finding);
      if (finding.failure() instanceof TimeoutException && isEarly(beganNanos)) {
        replace(asked);
      }
    }
  }

  /**
   * Returns whether a time-out comes before its time: an error, such as a lack of memory, has ended
   * the thread of the client, which then answers everything so.
   */
  private boolean isEarly(long beganNanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos) < patienceMillis / 2;
  }

  /** Replaces a client whose thread has ended, unless it was replaced already. */
  private synchronized void replace(Admin broken) {
    if (admin == broken && !closed) {
      admin = admin(settings);
      broken.close(Duration.ZERO);
    }
  }

  private Finding finding(
      String topic, KafkaFuture<TopicDescription> answer, Producer<?, ?> producer)
      throws InterruptedException {
    try {
      Leaders leaders = Leaders.of(answer.get(), hasOwnPartitioner);
      if (leaders.missing().isEmpty()) {
        known.add(topic);
        return Finding.READY;
      }
      if (unled.tryAcquire()) {
        log.warn(
            "Topic '{}' has no leader for its partitions {}; the messages for them wait, and other"
                + " messages are sent ({} more)",
            topic,
            leaders.missing(),
            unled.takeSkipped());
      }
      return new Finding(null, null, leaders);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof UnknownTopicOrPartitionException) {
        return searches.computeIfAbsent(topic, name -> search(name, producer)).finding();
      }
      if (Verdict.of(cause) == Verdict.REFUSED) {
        Search refused = new Search();
        refused.failed(cause);
        searches.put(topic, refused);
      }
      return new Finding(cause, null);
    }
  }

  private Search search(String topic, Producer<?, ?> producer) {
    Search search = new Search();
    threads.execute(
        () -> {
          try {
            Object unused = producer.partitionsFor(topic);
            known.add(topic);
            searches.remove(topic, search);
          } catch (Throwable e) { // also an error, or the topic would be looked up for ever
            if (Verdict.of(e) == Verdict.REFUSED) {
              search.failed(e);
            } else {
              searches.remove(topic, search);
            }
          }
        });
    return search;
  }

  /** Asks Kafka again before the next send to this topic, because a send has failed. */
  void forget(String topic) {
    known.remove(topic);
  }

  void close() {
    threads.shutdownNow();
    Admin last;
    synchronized (this) {
      closed = true;
      last = admin;
    }
    if (last != null) {
      last.close(CLOSE_TIME);
    }
  }
}
