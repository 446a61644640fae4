package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

class TemplateWithoutSpringTxTest {
  /** Schedules and cancels a message; runs in a class loader without {@code spring-tx}. */
  public static final class Application implements Callable<Long> {
    @Override
    public Long call() {
      try (Punctual punctual = Punctual.open("memory:")) {
        PunctualQueues queues = new PunctualQueues(punctual, PunctualCodecs.standard());
        PunctualTemplate template = new PunctualTemplate(queues);
        String id = template.schedule("orders", "x", Duration.ofHours(1));
        template.schedule("orders", "y", Duration.ofHours(1));
        template.cancel("orders", id);
        return queues.get("orders", String.class).counts().pending();
      }
    }
  }

  @Test
  void template_schedulesAndCancels() throws Exception {
    URL[] urls =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("spring-tx"))
            .map(TemplateWithoutSpringTxTest::url)
            .toArray(URL[]::new);
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
      thread.setContextClassLoader(loader);
      Class<?> type = loader.loadClass(Application.class.getName());
      Object pending = ((Callable<?>) type.getDeclaredConstructor().newInstance()).call();
      assertThat(pending).isEqualTo(1L);
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
