package io.punctual.spring.boot.test.shop;

import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

@Component
class Timeouts {
  record Order(String id) {}

  record Refund(@Positive int cents) {}

  final List<String> closed = new CopyOnWriteArrayList<>();
  private final PunctualTemplate template;

  Timeouts(PunctualTemplate template) {
    this.template = template;
  }

  @PunctualListener("refunds")
  void refund(@Valid Refund refund) {
    closed.add("refund of " + refund.cents());
  }

  @PunctualListener(value = "timeouts", maxAttempts = "3")
  void close(Order order) {
    if (order.id().equals("poison")) {
      throw new IllegalStateException("poison");
    }
    closed.add(order.id());
    if (order.id().equals("chain")) {
      template.schedule("timeouts", new Order("chained"), Duration.ofMinutes(5));
    }
  }
}
