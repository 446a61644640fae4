package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Punctual;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

/** Tests the codec of a payload that is a proxy. */
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
}
