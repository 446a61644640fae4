package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** Tests listeners on beans with proxies, and methods with inherited annotations. */
class ListenerProxyTest extends ContextFixture {
  @Scope(value = "each-thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class Scoped {
    private final Received received;

    Scoped(Received received) {
      this.received = received;
    }

    @PunctualListener("orders")
    void handle(String order) {
      received.add(order + System.identityHashCode(this));
    }
  }

  @Test
  void beanOfAScope_isOneListener_thatCallsTheProxy() throws Exception {
    context.getBeanFactory().registerScope("each-thread", new SimpleThreadScope());
    context.register(Base.class, Scoped.class, Received.class);
    context.refresh();
    Scoped here = (Scoped) context.getBean("scopedTarget.listenerProxyTest.Scoped");
    assertThat(registry().listeners()).hasSize(1);
    schedule("orders", "a");
    String value = (String) context.getBean(Received.class).next();
    assertThat(value).startsWith("a").isNotEqualTo("a" + System.identityHashCode(here));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAsync(proxyTargetClass = true)
  static class Threads {
    @Bean
    TaskExecutor taskExecutor() {
      return new SimpleAsyncTaskExecutor("other-thread");
    }
  }

  static class Asynchronous extends Received {
    @Async
    @PunctualListener("orders")
    public CompletableFuture<String> handle(String order) {
      add(Thread.currentThread().getName());
      return CompletableFuture.completedFuture("done");
    }
  }

  @Test
  void proxyOfAPostProcessorThatIsDefinedLater_isCalled() throws Exception {
    context.register(Base.class, Received.class, Asynchronous.class, Threads.class);
    context.refresh();
    Asynchronous listener = context.getBean(Asynchronous.class);
    schedule("orders", "a");
    assertThat((String) values(listener).next()).startsWith("other-thread");
  }

  private static Received values(Object proxy) {
    return (Received) org.springframework.aop.framework.AopProxyUtils.getSingletonTarget(proxy);
  }

  interface Contract {
    @PunctualListener("contract")
    void handle(String order);
  }

  static class Replaced extends Received implements Contract {
    @Override
    @PunctualListener("own")
    public void handle(String order) {
      add(order);
    }
  }

  static class Inherited extends Received implements Contract {
    @Override
    public void handle(String order) {
      add(order);
    }
  }

  @Test
  void annotationOfTheMethodItself_replacesTheInheritedOne() {
    start(Replaced.class, Inherited.class);
    assertThat(registry().listeners())
        .extracting(each -> each.queues().get(0))
        .containsExactlyInAnyOrder("own", "contract");
  }
}
