package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Delivery;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** Tests the hints of a context that is processed ahead of time, and the hints of the modules. */
class NativeHintsTest {
  record Payload(String text) {}

  record Element(String text) {}

  static class Listeners {
    @PunctualListener("single")
    void single(Delivery<Payload> delivery) {}

    @PunctualListener("batch")
    void batch(List<Element> elements) {}
  }

  @Test
  void listenersAndPayloads_haveHints() {
    var context = new AnnotationConfigApplicationContext();
    context.register(ContextFixture.Base.class, Listeners.class);
    var generation =
        new DefaultGenerationContext(
            new ClassNameGenerator(ClassName.get(NativeHintsTest.class)),
            new InMemoryGeneratedFiles());
    new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
    RuntimeHints hints = generation.getRuntimeHints();
    for (Class<?> type : List.of(Listeners.class, Payload.class, Element.class)) {
      assertThat(hints.reflection().getTypeHint(type)).as(type.getName()).isNotNull();
    }
  }

  @Test
  void scripts_haveHints() {
    RuntimeHints hints = new RuntimeHints();
    new StoreRuntimeHints().registerHints(hints, null);
    for (String script :
        List.of(
            "redis/claim.lua",
            "redis/client/connection/witness.lua",
            "lock/internal/protocol/acquire.lua")) {
      assertThat(RuntimeHintsPredicates.resource().forResource("io/punctual/" + script))
          .accepts(hints);
    }
    assertThat(
            RuntimeHintsPredicates.reflection()
                .onType(PunctualTransactions.IS_ACTIVE.getDeclaringClass())
                .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
        .accepts(hints);
  }
}
