package io.punctual.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A lack of memory at one place of the runtime after the other: the client goes on. All confirmed
 * messages are handled, the worker has its whole concurrency, and the client closes.
 */
class ErrorAtEveryPlaceTest {
  /** A prime, so that the samples meet different parts of repeated work. */
  private static final int SAMPLE = 101;

  private final Class<?> scenario = load();

  private static Class<?> load() {
    try {
      return new InjectingLoader().loadClass(ErrorScenario.class.getName());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(ErrorScenario.Variant.class)
  void noMemoryAtOnePlace_clientGoesOn(ErrorScenario.Variant variant) throws Exception {
    runAll(variant, SAMPLE);
  }

  @Tag("extended")
  @ParameterizedTest
  @EnumSource(ErrorScenario.Variant.class)
  void noMemoryAtEachPlace_clientGoesOn(ErrorScenario.Variant variant) throws Exception {
    runAll(variant, 1);
  }

  private void runAll(ErrorScenario.Variant variant, int step) throws Exception {
    run(variant, 0, new OutOfMemoryError("none")); // the first run initializes the classes
    String dry = run(variant, 0, new OutOfMemoryError("none"));
    assertThat(dry).startsWith("ok ");
    long points = Long.parseLong(dry.substring("ok ".length()));
    List<String> faults = new ArrayList<>();
    for (long point = 1; point <= points; point += step) {
      Error error = new OutOfMemoryError("injected");
      String result = run(variant, point, error);
      if (!result.startsWith("ok ")) {
        faults.add(point + ": " + result + place(error));
      }
    }
    assertThat(faults).isEmpty();
  }

  private static String place(Error error) {
    StringBuilder text = new StringBuilder();
    for (StackTraceElement each : error.getStackTrace()) {
      if (each.getClassName().startsWith("io.punctual.internal")) {
        text.append("\n    ").append(each);
      }
    }
    return text.toString();
  }

  /** Runs the scenario on a thread of its own, because a lost reply could block it. */
  @SuppressWarnings("unchecked")
  private String run(ErrorScenario.Variant variant, long point, Error error) throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    BiFunction<Object[], Error, String> run =
        (BiFunction<Object[], Error, String>) scenario.getConstructor().newInstance();
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
