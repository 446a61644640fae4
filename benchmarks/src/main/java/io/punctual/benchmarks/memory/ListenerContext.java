package io.punctual.benchmarks.memory;

import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.spring.EnablePunctual;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualListener;
import java.util.concurrent.Semaphore;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** A Spring context whose only listener counts the messages of a queue. */
final class ListenerContext implements AutoCloseable {
  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();

  ListenerContext(Punctual punctual, WorkerOptions options, Semaphore handled) {
    context.registerBean(
        Punctual.class, () -> punctual, definition -> definition.setDestroyMethodName(""));
    context.registerBean(ListenerDefaults.class, () -> name -> options);
    context.registerBean(Application.class, () -> new Application(handled));
    context.refresh();
  }

  @EnablePunctual
  static final class Application {
    private final Semaphore handled;

    Application(Semaphore handled) {
      this.handled = handled;
    }

    @PunctualListener(MeterCosts.QUEUE)
    void handle(String payload) {
      handled.release();
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
