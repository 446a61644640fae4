package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import java.util.ArrayList;
import java.util.List;

/** The arguments of apply.lua and claim.lua. For one thread. */
final class CallArguments {
  private static final byte[] KEEP = ascii("k");
  private static final byte[] REJECT = ascii("j");
  private static final byte[] REPLACE = ascii("r");
  private static final byte[] EARLIEST = ascii("e");

  private final List<byte[]> argv;

  private CallArguments(int lanes, Call call, int room) {
    argv = new ArrayList<>(4 + room);
    add(lanes);
    add(call.number());
    add(call.lowestUnanswered());
  }

  static List<byte[]> of(int lanes, Call call, Call.Claim claim, String publishing, String client) {
    CallArguments arguments = new CallArguments(lanes, call, 4);
    arguments.add(claim.limit());
    arguments.add(claim.leaseMillis());
    arguments.argv.add(ascii(publishing));
    arguments.argv.add(ascii(client));
    return arguments.argv;
  }

  static List<byte[]> of(int lanes, Call call, Call.Apply apply, String publishing) {
    CallArguments arguments = new CallArguments(lanes, call, 1 + 4 * apply.operations().size());
    arguments.argv.add(publishing.getBytes(US_ASCII));
    arguments.addAll(apply.operations());
    return arguments.argv;
  }

  /** What is all of one kind is told in lists, which the script hands on as they are. */
  private void addAll(List<Operation> operations) {
    if (areAcks(operations) && haveIdsOfTheirOwn(operations)) {
      addAcks(operations);
    } else if (areSchedulesOfOneKind(operations) && haveIdsOfTheirOwn(operations)) {
      addSchedules(operations);
    } else {
      operations.forEach(this::add);
    }
  }

  private static boolean areAcks(List<Operation> operations) {
    return !operations.isEmpty() && operations.stream().allMatch(Operation.Ack.class::isInstance);
  }

  private static boolean areSchedulesOfOneKind(List<Operation> operations) {
    return !operations.isEmpty()
        && operations.get(0) instanceof Operation.Schedule first
        && operations.stream()
            .allMatch(o -> o instanceof Operation.Schedule s && s.ifPresent() == first.ifPresent());
  }

  private static boolean haveIdsOfTheirOwn(List<Operation> operations) {
    return operations.size() == 1
        || operations.stream().map(Operation::id).distinct().count() == operations.size();
  }

  private void addAcks(List<Operation> acks) {
    argv.add(ascii("A"));
    add(acks.size());
    acks.forEach(ack -> argv.add(Ids.bytes(ack.id())));
    for (int from = 0, to = 0; from < acks.size(); from = to) {
      long token = token(acks.get(from));
      while (to < acks.size() && token(acks.get(to)) == token) {
        to++;
      }
      add(token);
      add(to - from);
    }
  }

  private static long token(Operation ack) {
    return ((Operation.Ack) ack).token();
  }

  private void addSchedules(List<Operation> operations) {
    List<Operation.Schedule> schedules =
        operations.stream().map(Operation.Schedule.class::cast).toList();
    argv.add(ascii("S"));
    argv.add(code(schedules.get(0).ifPresent()));
    add(schedules.size());
    for (Operation.Schedule schedule : schedules) {
      argv.add(Ids.bytes(schedule.id()));
      argv.add(ContentFormat.encode(schedule.content()));
    }
    schedules.forEach(schedule -> add(schedule.due()));
  }

  private void add(Operation operation) {
    if (operation instanceof Operation.Schedule schedule) {
      begin(code(schedule.ifPresent()), operation);
      add(schedule.due());
      argv.add(ContentFormat.encode(schedule.content()));
    } else if (operation instanceof Operation.Settlement settlement) {
      add(settlement);
    } else if (operation instanceof Operation.Reschedule reschedule) {
      begin(ascii("m"), operation);
      add(reschedule.due());
    } else if (operation instanceof Operation.Cancel) {
      begin(ascii("c"), operation);
    } else if (operation instanceof Operation.RunNow) {
      begin(ascii("n"), operation);
    } else if (operation instanceof Operation.Redrive) {
      begin(ascii("v"), operation);
    } else {
      begin(ascii("x"), operation);
    }
  }

  private void add(Operation.Settlement settlement) {
    if (settlement instanceof Operation.Ack) {
      begin(ascii("a"), settlement);
      add(settlement.token());
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
    } else {
      begin(ascii("g"), settlement);
      add(settlement.token());
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
