package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientClosedException;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

/** Tests the codec of a payload that is a proxy, and asynchronous calls that fail. */
class PunctualTemplateTest {
  static class Bill {
    public int amount = 7;
  }

  @Test
  void payloadWithAProxy_hasTheCodecOfItsClass() {
    List<Object> types = new ArrayList<>();
    PunctualCodecs codecs =
        type -> {
          types.add(type);
          return PunctualCodecs.standard().codec(String.class);
        };
    ProxyFactory proxies = new ProxyFactory(new Bill());
    proxies.setProxyTargetClass(true);
    Object proxy = proxies.getProxy();
    try (Punctual punctual = Punctual.open("memory:")) {
      PunctualTemplate template = new PunctualTemplate(new PunctualQueues(punctual, codecs));
      assertThatThrownBy(() -> template.schedule("bills", proxy, Duration.ZERO))
          .isInstanceOf(ClassCastException.class);
    }
    assertThat(types).containsExactly(Bill.class);
  }

  @Test
  void scheduleAsync_ofAClosedClient_failsTheStage() {
    Punctual punctual = Punctual.open("memory:");
    PunctualTemplate template =
        new PunctualTemplate(new PunctualQueues(punctual, PunctualCodecs.standard()));
    punctual.close();
    CompletionStage<?> stage = template.scheduleAsync("orders", Message.of("x"), IfPresent.KEEP);
    assertThat(stage.toCompletableFuture())
        .failsWithin(60, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(ClientClosedException.class);
  }

  @Test
  void scheduleAsync_withoutACodec_failsTheStage() {
    try (Punctual punctual = Punctual.open("memory:")) {
      PunctualTemplate template =
          new PunctualTemplate(new PunctualQueues(punctual, PlainCodecs.INSTANCE));
      CompletionStage<?> stage = template.scheduleAsync("orders", Message.of(5), IfPresent.KEEP);
      assertThat((CompletableFuture<?>) stage.toCompletableFuture())
          .failsWithin(60, TimeUnit.SECONDS)
          .withThrowableThat()
          .withCauseInstanceOf(IllegalArgumentException.class);
    }
  }
}
