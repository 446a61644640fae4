package io.punctual.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A lack of memory, or an interrupt, at one place of the runtime after the other: the client goes
 * on. All confirmed messages are handled, the worker has its whole concurrency, and the client
 * closes.
 */
class ErrorAtEveryPlaceTest {
  /** A prime, so that the samples meet different parts of repeated work. */
  private static final int SAMPLE = 101;

  /** Every place takes eight minutes. */
  private static final int THOROUGH_SAMPLE = Integer.getInteger("punctual.places", 7);

  private final Class<?> scenario = load(ErrorScenario.class);

  private static Class<?> load(Class<?> type) {
    try {
      return new InjectingLoader().loadClass(type.getName());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(ErrorScenario.Variant.class)
  void noMemoryAtOnePlace_clientGoesOn(ErrorScenario.Variant variant) throws Exception {
    runAll(variant, SAMPLE, () -> new OutOfMemoryError("injected"));
  }

  @Test
  void interruptAtOnePlace_clientGoesOn() throws Exception {
    runAll(ErrorScenario.Variant.EXECUTOR, SAMPLE, () -> null);
  }

  @Test
  void noMemoryAtOnePlaceOfTheMemoryStore_theRepeatedCallDoesTheRest() throws Exception {
    BiFunction<Object[], @Nullable Error, String> dry = instance(load(StoreScenario.class));
    String unused = dry.apply(new Object[] {"", 0L}, null); // the first run initializes the classes
    String[] expected = instance(dry.getClass()).apply(new Object[] {"", 0L}, null).split(" ", 2);
    long points = Long.parseLong(expected[0]);
    for (long point = 1; point <= points; point++) {
      Error error = new OutOfMemoryError("injected");
      String[] result =
          instance(dry.getClass()).apply(new Object[] {"", point}, error).split(" ", 2);
      assertThat(result[1]).as(place(error)).isEqualTo(expected[1]);
    }
  }

  @SuppressWarnings("unchecked")
  private static BiFunction<Object[], @Nullable Error, String> instance(Class<?> type)
      throws Exception {
    return (BiFunction<Object[], @Nullable Error, String>) type.getConstructor().newInstance();
  }

  @Tag("extended")
  @ParameterizedTest
  @EnumSource(ErrorScenario.Variant.class)
  void noMemoryAtManyPlaces_clientGoesOn(ErrorScenario.Variant variant) throws Exception {
    runAll(variant, THOROUGH_SAMPLE, () -> new OutOfMemoryError("injected"));
  }

  @Tag("extended")
  @Test
  void interruptAtManyPlaces_clientGoesOn() throws Exception {
    runAll(ErrorScenario.Variant.EXECUTOR, THOROUGH_SAMPLE, () -> null);
  }

  private void runAll(ErrorScenario.Variant variant, int step, Supplier<@Nullable Error> errors)
      throws Exception {
    run(variant, 0, null); // the first run initializes the classes
    String dry = run(variant, 0, null);
    assertThat(dry).startsWith("ok ");
    long points = Long.parseLong(dry.substring("ok ".length()));
    List<String> faults = new ArrayList<>();
    for (long point = 1; point <= points; point += step) {
      Error error = errors.get();
      String result = run(variant, point, error);
      if (!result.startsWith("ok ")) {
        faults.add(point + ": " + result + (error == null ? "" : place(error)));
      }
    }
    assertThat(faults).isEmpty();
  }

  private static String place(Error error) {
    StringBuilder text = new StringBuilder();
    for (StackTraceElement each : error.getStackTrace()) {
      if (!each.getClassName().startsWith("io.punctual.error")
          && each.getClassName().startsWith("io.punctual.")) {
        text.append("\n    ").append(each);
      }
    }
    return text.toString();
  }

  /** Runs the scenario on a thread of its own, because a lost reply could block it. */
  private String run(ErrorScenario.Variant variant, long point, @Nullable Error error)
      throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    BiFunction<Object[], @Nullable Error, String> run = instance(scenario);
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(run.apply(new Object[] {variant.name(), point}, error));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    try {
      return result.get(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return "hangs in " + List.of(thread.getStackTrace());
    }
  }
}
