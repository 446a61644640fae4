package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Converts the replies of claim.lua, applyfast.lua and apply.lua into replies of the store SPI, and
 * sets the partition's clock by the server's time in them. Thread-safe.
 */
final class CallReplies {
  private static final Logger log = Logs.of(RedisPartition.class);

  /**
   * The byte before the time of the next claim in a reply. It means that the partition's share of
   * the limits prevented the lease of a message.
   */
  private static final byte SHORT = 's';

  private static final String FULL =
      "Redis has reached its maxmemory. Raise it, free memory, or let workers catch up";

  private final String queue;
  private final int index;
  private final ServerClock clock;

  CallReplies(String queue, int index, ServerClock clock) {
    this.queue = queue;
    this.index = index;
    this.clock = clock;
  }

  /**
   * Converts a reply. A reply that cannot be parsed becomes {@link Reply.Forgotten}, because the
   * outcome of its call is unknown.
   */
  Reply of(Call call, RedisReply answer) {
    try {
      Reply reply = ReplyReader.read(answer, values -> of(call, values));
      if (!call.repeated()) {
        clock.heard(reply);
      }
      return reply;
    } catch (Partition.PartitionException unreadable) {
      log.error("A call to queue '{}' has no outcome", queue, unreadable);
      return new Reply.Forgotten();
    }
  }

  private Reply of(Call call, ReplyReader values) {
    String kind = values.nextText();
    return switch (kind) {
      case "A" -> applied(call, values);
      case "C" -> claimed(values);
      case "G" -> new Reply.Gap(values.nextLong());
      case "N" -> new Reply.NoSession();
      case "F" -> new Reply.Forgotten();
      default -> throw new IllegalStateException("Redis answered '" + kind + "'");
    };
  }

  private static Reply applied(Call call, ReplyReader values) {
    long engineMicros = values.nextLong();
    String codes = values.nextText();
    List<Outcome> outcomes = new ArrayList<>();
    if (call.body() instanceof Call.Apply apply) {
      Codes reader = new Codes(codes, engineMicros);
      for (Operation operation : apply.operations()) {
        outcomes.add(reader.next(operation));
      }
    }
    return new Reply.Applied(List.copyOf(outcomes), engineMicros, null);
  }

  /**
   * Reads the outcomes of operations from a string of codes. The header of applyfast.lua lists the
   * codes.
   */
  private static final class Codes {
    private final String codes;
    private final long engineMicros;
    private int at;

    Codes(String codes, long engineMicros) {
      this.codes = codes;
      this.engineMicros = engineMicros;
    }

    Outcome next(Operation operation) {
      if (at == codes.length()) {
        throw new IllegalStateException(
            "The reply of Redis belongs to a different call: it has too few outcomes");
      }
      char code = codes.charAt(at++);
      if (operation instanceof Operation.Schedule schedule) {
        return scheduled(code, schedule.due().atMillis(engineMicros));
      }
      if (operation instanceof Operation.Restore restore) {
        return scheduled(code, restore.dueMillis());
      }
      if (operation instanceof Operation.Remember remember) {
        return scheduled(code, remember.untilMillis());
      }
      if (operation instanceof Operation.Settlement) {
        return new Outcome.OfSettlement(settled(code));
      }
      if (operation instanceof Operation.Cancel) {
        return new Outcome.OfCancel(cancelled(code));
      }
      if (operation instanceof Operation.Redrive || operation instanceof Operation.DeleteDead) {
        return new Outcome.OfDeadLetter(deadLetter(code));
      }
      return new Outcome.OfReschedule(rescheduled(code));
    }

    private Outcome scheduled(char code, long due) {
      return switch (code) {
        case 's' -> new Outcome.OfSchedule(ScheduleOutcome.STORED, due, null);
        case 'r' -> new Outcome.OfSchedule(ScheduleOutcome.REPLACED, due, state());
        case 'k' -> kept(ScheduleOutcome.KEPT);
        case 'j' -> kept(ScheduleOutcome.REJECTED);
        case 'f' -> new Outcome.Full(FULL);
        default -> throw unknown(code);
      };
    }

    private Outcome kept(ScheduleOutcome outcome) {
      State previous = state();
      int end = codes.indexOf(';', at);
      long due = ReplyReader.millis(codes.substring(at, end));
      at = end + 1;
      return new Outcome.OfSchedule(outcome, due, previous);
    }

    private State state() {
      char code = codes.charAt(at++);
      return switch (code) {
        case 'S' -> State.SCHEDULED;
        case 'R' -> State.READY;
        case 'L' -> State.LEASED;
        case 'D' -> State.DEAD;
        case 'F' -> State.FINISHED;
        default -> throw unknown(code);
      };
    }
  }

  private static SettleOutcome settled(char code) {
    return switch (code) {
      case 'o' -> SettleOutcome.DONE;
      case 'w' -> SettleOutcome.CANCELLED;
      case 'z' -> SettleOutcome.DISCARDED;
      case 'l' -> SettleOutcome.LEASE_LOST;
      default -> throw unknown(code);
    };
  }

  private static CancelOutcome cancelled(char code) {
    return switch (code) {
      case 'c' -> CancelOutcome.CANCELLED;
      case 'u' -> CancelOutcome.RUNNING;
      case 'd' -> CancelOutcome.DEAD;
      case 'n' -> CancelOutcome.NOT_FOUND;
      default -> throw unknown(code);
    };
  }

  private static RescheduleOutcome rescheduled(char code) {
    return switch (code) {
      case 'm' -> RescheduleOutcome.RESCHEDULED;
      case 'u' -> RescheduleOutcome.RUNNING;
      case 'd' -> RescheduleOutcome.DEAD;
      case 'n' -> RescheduleOutcome.NOT_FOUND;
      default -> throw unknown(code);
    };
  }

  private static DeadLetterOutcome deadLetter(char code) {
    return switch (code) {
      case 'o' -> DeadLetterOutcome.DONE;
      case 'x' -> DeadLetterOutcome.NOT_DEAD;
      case 'n' -> DeadLetterOutcome.NOT_FOUND;
      default -> throw unknown(code);
    };
  }

  private static IllegalStateException unknown(char code) {
    return new IllegalStateException("Redis answered an unknown outcome, '" + code + "'");
  }

  private Reply claimed(ReplyReader values) {
    long token = values.nextLong();
    long engineMicros = values.nextLong();
    byte[] next = values.nextBytes();
    boolean isShort = next != null && next.length > 0 && next[0] == SHORT;
    long untilNext =
        next == null
            ? Reply.NONE
            : ReplyReader.until(
                ReplyReader.millis(new String(next, ISO_8859_1).substring(isShort ? 1 : 0)),
                engineMicros);
    List<Reply.Leased> messages = new ArrayList<>();
    List<Reply.Unreadable> unreadable = new ArrayList<>();
    ReplyReader leases = values.nextList();
    ReplyReader contents = values.nextList();
    ReplyReader retries = values.nextList();
    while (leases.hasNext()) {
      String id = Ids.text(leases.nextSome());
      String lease = leases.nextText();
      byte[] content = contents.nextBytes();
      byte[] history = RetryRecord.of(retries.hasNext() ? retries.nextBytes() : null).history();
      try {
        LeaseRecord record = record(lease);
        messages.add(
            new Reply.Leased(id, content(content), record.dueMillis(), record.attempt(), history));
      } catch (IllegalArgumentException e) {
        unreadable.add(new Reply.Unreadable(id, String.valueOf(e.getMessage())));
      }
    }
    List<String> foreign = new ArrayList<>();
    for (ReplyReader ids = values.nextList(); ids.hasNext(); ) {
      foreign.add(Ids.text(ids.nextSome()));
    }
    if (!foreign.isEmpty()) {
      warnOfRemoved(foreign);
    }
    return new Reply.Claimed(
        List.copyOf(messages), List.copyOf(unreadable), token, engineMicros, untilNext, isShort);
  }

  private void warnOfRemoved(List<String> ids) {
    log.warn(
        "Queue '{}', partition {}: removed {} from the key 'leased', since no message is stored"
            + " under these ids. Punctual did not write them; find out which program changed the"
            + " key",
        queue,
        index,
        ids);
  }

  private static LeaseRecord record(String lease) {
    return LeaseRecord.parse(lease)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    LeaseRecord.isLost(lease)
                        ? "Its due time was lost, because a foreign program removed it from a key"
                        : "The record of its lease, '" + lease + "', is not one of this store"));
  }

  private static Content content(byte @Nullable [] bytes) {
    if (bytes == null) {
      throw new IllegalArgumentException("Nothing is stored for this id but its due time");
    }
    return ContentFormat.decode(bytes);
  }
}
