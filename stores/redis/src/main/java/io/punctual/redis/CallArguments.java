package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the arguments of the scripts {@link PartitionScripts#CLAIM} and {@link
 * PartitionScripts#APPLY}. For a single thread.
 */
final class CallArguments {
  private static final byte[] KEEP = ascii("k");
  private static final byte[] REJECT = ascii("j");
  private static final byte[] REPLACE = ascii("r");
  private static final byte[] EARLIEST = ascii("e");
  private static final byte[] NOTHING = {};
  private static final byte[] ONCE = ascii("1");

  private final List<byte[]> argv;
  private final long nowMillis;

  private CallArguments(int partitions, Call call, int room, long nowMillis) {
    this.nowMillis = nowMillis;
    argv = new ArrayList<>(4 + room);
    add(partitions);
    add(call.number());
    argv.add(ascii((call.repeated() ? "+" : "") + call.lowestUnanswered()));
  }

  /**
   * Returns the arguments of a claim.
   *
   * @param client the name under which this client waits, as in waiting.lua; empty if the client
   *     does not listen for wake-up hints, or claims no messages
   */
  static List<byte[]> of(int partitions, Call call, Call.Claim claim, String client) {
    CallArguments arguments = new CallArguments(partitions, call, 5, 0);
    arguments.add(claim.limit());
    arguments.add(claim.leaseMillis());
    arguments.argv.add(ascii(client));
    arguments.argv.add(claim.atMostOnce() ? ONCE : NOTHING);
    arguments.argv.add(ascii(call.session()));
    return arguments.argv;
  }

  /**
   * Returns the arguments of a call with operations.
   *
   * @param nowMillis the server's time, which becomes the time of creation of new messages
   */
  static List<byte[]> of(int partitions, Call call, Call.Apply apply, long nowMillis) {
    int room = 4 * apply.operations().size();
    CallArguments arguments = new CallArguments(partitions, call, room, nowMillis);
    arguments.addAll(apply.operations());
    return arguments.argv;
  }

  /**
   * Adds operations. A call with only schedules, or only acks, has a compact form: applyfast.lua
   * passes parts of it to Redis commands unchanged. Calls with a repeated id, or with an ack after
   * which the id is remembered, do not have this form.
   */
  private void addAll(List<Operation> operations) {
    List<byte[]> ids = operations.stream().map(operation -> Ids.bytes(operation.id())).toList();
    boolean isList =
        !ids.isEmpty() && ids.stream().map(ByteBuffer::wrap).distinct().count() == ids.size();
    if (isList && operations.stream().allMatch(CallArguments::isPlainAck)) {
      addAcks(ids, operations.stream().map(Operation.Ack.class::cast).toList());
    } else if (isList && operations.stream().allMatch(Operation.Schedule.class::isInstance)) {
      addSchedules(ids, operations.stream().map(Operation.Schedule.class::cast).toList());
    } else {
      operations.forEach(this::add);
    }
  }

  private static boolean isPlainAck(Operation operation) {
    return operation instanceof Operation.Ack ack && ack.rememberMillis() == 0;
  }

  private void addAcks(List<byte[]> ids, List<Operation.Ack> acks) {
    argv.add(ascii("A"));
    add(ids.size());
    argv.addAll(ids);
    for (int from = 0, to = 0; from < acks.size(); from = to) {
      long token = acks.get(from).token();
      while (to < acks.size() && acks.get(to).token() == token) {
        to++;
      }
      add(token);
      add(to - from);
    }
  }

  private void addSchedules(List<byte[]> ids, List<Operation.Schedule> schedules) {
    argv.add(ascii("S"));
    argv.add(kinds(schedules));
    for (int i = 0; i < ids.size(); i++) {
      argv.add(ids.get(i));
      argv.add(encode(schedules.get(i).content()));
    }
    schedules.forEach(schedule -> add(schedule.due()));
  }

  /** Returns a letter for each schedule. The letter selects the rule for an id that is in use. */
  private static byte[] kinds(List<Operation.Schedule> schedules) {
    byte[] kinds = new byte[schedules.size()];
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] = code(schedules.get(i).ifPresent())[0];
    }
    return kinds;
  }

  private void add(Operation operation) {
    if (operation instanceof Operation.Schedule schedule) {
      begin(code(schedule.ifPresent()), operation);
      add(schedule.due());
      argv.add(encode(schedule.content()));
    } else if (operation instanceof Operation.Restore restore) {
      add(restore);
    } else if (operation instanceof Operation.Remember remember) {
      begin(ascii("f"), operation);
      add(remember.untilMillis());
    } else if (operation instanceof Operation.Settlement settlement) {
      add(settlement);
    } else if (operation instanceof Operation.Reschedule reschedule) {
      begin(ascii("m"), operation);
      add(reschedule.due());
    } else if (operation instanceof Operation.Cancel) {
      begin(ascii("c"), operation);
    } else if (operation instanceof Operation.RunNow) {
      begin(ascii("n"), operation);
    } else if (operation instanceof Operation.ChangeWaiting change) {
      begin(ascii("w"), operation);
      add(change.dueMillis());
      addOptional(change.due());
    } else if (operation instanceof Operation.Redrive redrive) {
      begin(ascii("v"), operation);
      addOptional(redrive.content());
    } else {
      begin(ascii("x"), operation);
    }
  }

  private void add(Operation.Restore restore) {
    begin(ascii("i"), restore);
    add(restore.dueMillis());
    add(restore.attempts());
    argv.add(restore.history());
    argv.add(restore.isDead() ? ascii(Long.toString(restore.diedAtMillis())) : NOTHING);
    argv.add(ContentFormat.encode(restore.content()));
  }

  private void add(Operation.Settlement settlement) {
    if (settlement instanceof Operation.Ack ack) {
      begin(ascii(isPlainAck(ack) ? "a" : "d"), settlement);
      add(settlement.token());
      if (!isPlainAck(ack)) {
        add(ack.rememberMillis());
      }
    } else if (settlement instanceof Operation.Retry retry) {
      begin(ascii("t"), settlement);
      add(settlement.token());
      add(retry.due());
      argv.add(retry.history());
    } else if (settlement instanceof Operation.Bury bury) {
      begin(ascii("b"), settlement);
      add(settlement.token());
      argv.add(bury.history());
    } else if (settlement instanceof Operation.Extend extend) {
      begin(ascii("h"), settlement);
      add(settlement.token());
      add(extend.leaseMillis());
    } else if (settlement instanceof Operation.Release release) {
      begin(ascii("g"), settlement);
      add(settlement.token());
      addOptional(release.due());
    } else if (settlement instanceof Operation.Repeat repeat) {
      begin(ascii("o"), settlement);
      add(settlement.token());
      add(repeat.due());
      addOptional(repeat.content());
    }
  }

  private byte[] encode(Content content) {
    return ContentFormat.encode(content.created(nowMillis));
  }

  private void addOptional(@Nullable Content content) {
    argv.add(content == null ? NOTHING : encode(content));
  }

  private void addOptional(@Nullable DueTime due) {
    if (due == null) {
      argv.add(NOTHING);
    } else {
      add(due);
    }
  }

  private void begin(byte[] code, Operation operation) {
    argv.add(code);
    argv.add(Ids.bytes(operation.id()));
  }

  private static byte[] code(IfPresent mode) {
    return switch (mode) {
      case KEEP -> KEEP;
      case REJECT -> REJECT;
      case REPLACE -> REPLACE;
      case EARLIEST -> EARLIEST;
    };
  }

  private void add(DueTime due) {
    argv.add(ascii(due.isDelay() ? "+" + due.millis() : Long.toString(due.millis())));
  }

  private void add(long number) {
    argv.add(ascii(Long.toString(number)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
