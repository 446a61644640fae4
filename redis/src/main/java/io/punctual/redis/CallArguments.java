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
    apply.operations().forEach(arguments::add);
    return arguments.argv;
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
