package io.punctual.httpstore.service;

import io.punctual.Limits;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.internal.message.Checks;
import io.punctual.spi.Announcement;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of requests as a client checks them before it sends them, because a request
 * need not come from a client.
 */
final class RequestChecks {
  private static final Pattern CLIENT = Pattern.compile("[A-Za-z0-9.]{1,64}");
  private static final Duration LONGEST_KEEP = Duration.ofDays(1);
  private static final int MOST_PLACES = 10_000;
  private static final int MOST_PARTITIONS = 1000;
  private static final int MOST_CURSOR = 4096;
  private static final int MOST_HEADERS = 2 * Limits.HEADERS;
  private static final int MOST_HEADER_BYTES = 2 * Limits.HEADER_BYTES;

  /** A delay of the longest kind counts from now, and not from 1970. */
  private static final long MOST_MILLIS = 2 * Duration.ofDays(Limits.DAYS).toMillis();

  private RequestChecks() {}

  /**
   * Checks a request.
   *
   * @throws IllegalArgumentException if an argument is out of range
   * @throws Partition.PartitionException if it is an argument of a numbered call
   */
  static void check(Request<?> request) {
    if (request instanceof Request.CountQueues count) {
      atMost(count.names(), Partition.MAX_PAGE, "queues");
    } else if (request instanceof Request.FindInQueues find) {
      atMost(find.names(), Partition.MAX_PAGE, "queues");
      Checks.id(find.id());
    } else if (request instanceof Request.ForecastQueues forecast) {
      atMost(forecast.names(), Partition.MAX_PAGE, "queues");
      spans(forecast.fromMillis(), forecast.widthMillis(), forecast.buckets());
    } else if (request instanceof Request.UntilNext until) {
      atMost(until.places(), MOST_PLACES, "partitions");
      until.places().forEach(RequestChecks::place);
    } else if (request instanceof Request.Listen listen) {
      atMost(listen.places(), MOST_PLACES, "partitions");
      listen.places().forEach(RequestChecks::place);
      name(listen.client());
    } else if (request instanceof Request.OfPartition<?> of) {
      place(of.place());
      partition(of);
    } else if (request instanceof Request.FindPartitions find) {
      Checks.range(find.wanted(), 0, MOST_PARTITIONS, "The number of partitions");
    } else if (request instanceof Request.ListQueues list) {
      Checks.range(list.limit(), 1, Integer.MAX_VALUE, "The limit");
    } else if (request instanceof Request.ReadAnnouncements read) {
      atMost(read.clients(), Partition.MAX_PAGE, "clients");
      read.clients().forEach(RequestChecks::name);
      name(read.listener());
    } else if (request instanceof Request.Announce announce) {
      name(announce.client());
      name(announce.listener());
      unicode(announce.text(), "The text about a client");
      if (announce.keep().isNegative() || announce.keep().compareTo(LONGEST_KEEP) > 0) {
        throw new IllegalArgumentException("A text about a client is kept for up to a day");
      }
      atMost(
          announce.text().getBytes(StandardCharsets.UTF_8).length,
          Announcement.MAX_BYTES,
          "bytes of a text");
    }
    request.queues().forEach(Checks::queueName);
  }

  private static void place(Place place) {
    Checks.range(place.partitions(), 1, MOST_PARTITIONS, "The number of partitions");
    Checks.range(place.index(), 0, place.partitions() - 1, "The index of a partition");
  }

  private static void partition(Request.OfPartition<?> request) {
    if (request instanceof Request.OpenSession open) {
      name(open.session());
      if (open.replaces() != null) {
        name(open.replaces());
      }
    } else if (request instanceof Request.CloseSession close) {
      name(close.session());
    } else if (request instanceof Request.MakeCall make) {
      try {
        call(make.call());
      } catch (IllegalArgumentException e) {
        // The client of the session must learn that the partition refuses the call for good.
        throw new Partition.PartitionException(String.valueOf(e.getMessage()), e);
      }
    } else if (request instanceof Request.Find find) {
      Checks.id(find.id());
    } else if (request instanceof Request.FindMany find) {
      atMost(find.ids(), Partition.MAX_PAGE, "ids");
      find.ids().forEach(Checks::id);
    } else if (request instanceof Request.Browse browse) {
      Checks.page(browse.limit());
      atMost(browse.cursor() == null ? 0 : browse.cursor().length(), MOST_CURSOR, "characters");
    } else if (request instanceof Request.Forecast forecast) {
      spans(forecast.fromMillis(), forecast.widthMillis(), forecast.buckets());
    }
  }

  private static void spans(long fromMillis, long widthMillis, int buckets) {
    Checks.range(buckets, 1, Partition.MAX_BUCKETS, "The number of spans");
    time(fromMillis);
    time(widthMillis);
    if (widthMillis < 1) {
      throw new IllegalArgumentException("A span of a forecast is 1 ms or more");
    }
  }

  private static void call(Call call) {
    name(call.session());
    if (call.number() < 1) {
      throw new IllegalArgumentException("The numbers of calls begin with 1");
    }
    if (call.body() instanceof Call.Claim claim) {
      Checks.range(claim.limit(), 0, Partition.MAX_PAGE, "The limit of a claim");
      if (claim.leaseMillis() < 1) {
        throw new IllegalArgumentException("A lease lasts 1 ms or more");
      }
      time(claim.leaseMillis());
    } else {
      Call.Apply apply = (Call.Apply) call.body();
      atMost(apply.operations(), Partition.MAX_OPERATIONS, "operations");
      apply.operations().forEach(RequestChecks::operation);
    }
  }

  private static void operation(Operation operation) {
    Checks.id(operation.id());
    times(operation).forEach(RequestChecks::time);
    Content content = operation.content();
    if (content != null) {
      atMost(content.payload().length, Limits.MAX_PAYLOAD_BYTES, "bytes of a payload");
      headers(content.headers());
    }
  }

  /** Returns the times of an operation, in milliseconds from now or from 1970. */
  private static LongStream times(Operation operation) {
    if (operation instanceof Operation.Schedule schedule) {
      return LongStream.of(schedule.due().millis());
    } else if (operation instanceof Operation.Restore restore) {
      return LongStream.of(restore.dueMillis(), restore.diedAtMillis());
    } else if (operation instanceof Operation.Remember remember) {
      return LongStream.of(remember.untilMillis());
    } else if (operation instanceof Operation.Reschedule reschedule) {
      return LongStream.of(reschedule.due().millis());
    } else if (operation instanceof Operation.ChangeWaiting change) {
      return times(change.due());
    } else if (operation instanceof Operation.Ack ack) {
      return LongStream.of(ack.rememberMillis());
    } else if (operation instanceof Operation.Retry retry) {
      return LongStream.of(retry.due().millis());
    } else if (operation instanceof Operation.Extend extend) {
      return LongStream.of(extend.leaseMillis());
    } else if (operation instanceof Operation.Release release) {
      return times(release.due());
    } else if (operation instanceof Operation.Repeat repeat) {
      return LongStream.of(repeat.due().millis());
    }
    return LongStream.empty();
  }

  private static LongStream times(@Nullable DueTime due) {
    return due == null ? LongStream.empty() : LongStream.of(due.millis());
  }

  /** Refuses a time with which a store can't calculate. */
  private static void time(long millis) {
    if (millis < -MOST_MILLIS || millis > MOST_MILLIS) {
      throw new IllegalArgumentException("The time of " + millis + " ms is out of range");
    }
  }

  /** Checks headers, which can include those that the runtime adds. */
  private static void headers(Map<String, String> headers) {
    atMost(headers.size(), MOST_HEADERS, "headers");
    int characters = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      String text = header.getKey() + header.getValue();
      characters += text.length();
      unicode(text, "A header");
    }
    atMost(characters, MOST_HEADER_BYTES, "characters of headers");
  }

  private static void unicode(String text, String what) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException(what + " is not valid Unicode");
    }
  }

  private static void name(String id) {
    if (!CLIENT.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "The id of a client or a session has up to 64 letters, digits and dots");
    }
  }

  private static void atMost(Collection<?> values, int most, String what) {
    atMost(values.size(), most, what);
  }

  private static void atMost(int number, int most, String what) {
    if (number > most) {
      throw new IllegalArgumentException(
          "A request has up to " + most + " " + what + ", not " + number);
    }
  }
}
