package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.httpstore.wire.Failure;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Store;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests times with which a store would calculate wrongly. */
final class TimesOutOfRangeTest {
  private static final Place PLACE = new Place("orders", 0, 1);
  private static final byte[] NOTHING = new byte[0];
  private static final Content CONTENT = Content.of(NOTHING);

  private final Store store = MemoryStore.builder().build();
  private final StoreService service = new StoreService(store, new StoppedTimer());

  private void assertRefused(Request<?> request) {
    Served served =
        service
            .serve(
                Requests.name(request.getClass()),
                Wire.write(request.getClass(), request),
                Access.ALL)
            .join();
    Failure failure = (Failure) Wire.answer(Failure.class, served.body());
    assertThat(failure.message()).contains("out of range");
  }

  private static Request<?> call(Call.Body body) {
    return new Request.MakeCall(PLACE, false, new Call("s", 1, 1, body, false), 9);
  }

  static Stream<LongFunction<Operation>> operations() {
    return Stream.of(
        time -> new Operation.Schedule("a", new DueTime(false, time), IfPresent.KEEP, CONTENT),
        time -> new Operation.Restore("a", time, 1, NOTHING, 0, CONTENT),
        time -> new Operation.Restore("a", 0, 1, NOTHING, time, CONTENT),
        time -> new Operation.Remember("a", time),
        time -> new Operation.Reschedule("a", new DueTime(true, time)),
        time -> new Operation.ChangeWaiting("a", 0, new DueTime(false, time)),
        time -> new Operation.Ack("a", 1, Long.MAX_VALUE),
        time -> new Operation.Retry("a", 1, new DueTime(true, time), NOTHING),
        time -> new Operation.Extend("a", 1, time),
        time -> new Operation.Release("a", 1, new DueTime(true, time)),
        time -> new Operation.Repeat("a", 1, new DueTime(false, time), null));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void operation_isRefused(LongFunction<Operation> operation) {
    for (long time : new long[] {Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertRefused(call(new Call.Apply(List.of(operation.apply(time)), null)));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 1L << 62})
  void leaseAndForecast_areRefused(long time) {
    assertRefused(call(new Call.Claim(1, time)));
    assertRefused(new Request.Forecast(PLACE, time, 1, 1));
    assertRefused(new Request.Forecast(PLACE, 0, time, 1));
    assertRefused(new Request.ForecastQueues(List.of("orders"), -time, 1, 1));
  }
}
