package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import io.punctual.deadletter.DeadLetterRetention;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ApplicableOptionsTest {
  private static final Set<String> APPLICABLE =
      Set.of("concurrency", "retryPolicy", "shutdownGrace");

  private static WorkerOptions.Builder options() {
    return WorkerOptions.builder();
  }

  private static Map<String, WorkerOptions.Builder> others(WorkerPool pool) {
    return Map.ofEntries(
        Map.entry("prefetch", options().prefetch(1)),
        Map.entry("batchSize", options().batchSize(2)),
        Map.entry("batchLinger", options().batchLinger(Duration.ofMillis(1))),
        Map.entry("lease", options().lease(Duration.ofMinutes(1))),
        Map.entry("renew", options().renew(false)),
        Map.entry("interruptOnLeaseLost", options().interruptOnLeaseLost(true)),
        Map.entry("handlerTimeout", options().handlerTimeout(Duration.ofMinutes(1))),
        Map.entry("executor", options().executor(Runnable::run)),
        Map.entry("threads", options().threads(WorkerOptions.Threads.PLATFORM)),
        Map.entry("pool", options().pool(pool)),
        Map.entry("name", options().name("mine")),
        Map.entry(
            "deadLetterRetention",
            options().deadLetterRetention(DeadLetterRetention.KEEP_ALL.withMaxCount(1))));
  }

  @Test
  void check_everyOption_appliesOrIsRefusedByItsName() {
    try (Punctual punctual = Punctual.open("memory:")) {
      Map<String, WorkerOptions.Builder> others =
          others(punctual.workerPool(WorkerOptions.DEFAULT));
      others.forEach(
          (name, each) ->
              assertThatThrownBy(() -> RabbitDelayQueue.checkApplicable(each.build()))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("[" + name + "]")
                  .hasMessageContaining("set only concurrency, retryPolicy and shutdownGrace"));
      Set<String> known = new HashSet<>(others.keySet());
      known.addAll(APPLICABLE);
      assertThat(known)
          .isEqualTo(
              Arrays.stream(WorkerOptions.class.getDeclaredMethods())
                  .filter(method -> Modifier.isPublic(method.getModifiers()))
                  .filter(method -> !Modifier.isStatic(method.getModifiers()))
                  .filter(method -> method.getParameterCount() == 0)
                  .map(method -> method.getName())
                  .filter(name -> !name.equals("toBuilder"))
                  .collect(Collectors.toSet()));
    }
  }

  @Test
  void check_optionsThatApply_passUpToTheLargestConcurrency() {
    WorkerOptions.Builder most =
        options()
            .concurrency(10_000)
            .retryPolicy(RetryPolicy.never())
            .shutdownGrace(Duration.ofSeconds(1));
    assertThatCode(() -> RabbitDelayQueue.checkApplicable(most.build())).doesNotThrowAnyException();
    assertThatThrownBy(
            () -> RabbitDelayQueue.checkApplicable(options().concurrency(10_001).build()))
        .hasMessageContaining("concurrency")
        .hasMessageContaining("10000");
  }
}
