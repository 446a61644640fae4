package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the console costs. Counts are checked; times depend on the machine, and are printed. {@code
 * -Dpunctual.marks.seconds=30} sets how long the use of the processor is measured.
 */
@ExtendWith(Chromium.class)
class MarksTest {
  /** Notes when the first screen is there, in milliseconds after the answer of the page. */
  private static final String WATCH =
      """
      new MutationObserver((changes, observer) => {
        if (!document.querySelector('main h1')) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => (window.firstView = performance.now())));
      }).observe(document, { childList: true, subtree: true });
      """;

  private static final String FIRST_VIEW =
      "() => window.firstView - performance.getEntriesByType('navigation')[0].responseEnd";

  /** How long it takes to draw all rows again. */
  private static final String DRAW =
      """
      () => new Promise((done) => {
        let begin;
        requestAnimationFrame(() => (begin = performance.now()));
        dispatchEvent(new Event('punctual-draw'));
        requestAnimationFrame(() => { document.body.offsetHeight; done(performance.now() - begin); });
      })
      """;

  private static final String HIDE =
      """
      (hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }
      """;

  private static final Duration SPAN =
      Duration.ofSeconds(Integer.getInteger("punctual.marks.seconds", 2));

  @TempDir private Path folder;

  private static Console filled(Browser browser, Path folder) {
    Console console = Console.open(browser, folder);
    for (int i = 0; i < 20; i++) {
      console.scheduleMany("queue-" + i, 200, 30);
    }
    return console;
  }

  private static void print(String what, double value, String unit) {
    System.out.printf(Locale.ROOT, "mark: %s: %.1f %s%n", what, value, unit);
  }

  @Test
  void firstView_isOneOriginAndFewBytes(Browser browser) {
    try (Console console = filled(browser, folder)) {
      Visitor visitor = console.visitor();
      Queue<Response> responses = new ConcurrentLinkedQueue<>();
      visitor.page.onResponse(responses::add);
      visitor.page.addInitScript(WATCH);
      visitor.open("").sees("tbody", "queue-0");
      Object bytes =
          visitor.page.evaluate(
              "() => performance.getEntriesByType('resource')"
                  + ".filter((e) => e.name.includes('/console/'))"
                  + ".reduce((sum, e) => sum + e.encodedBodySize, 0)");
      print("files of the console", ((Number) bytes).doubleValue(), "bytes");
      assertThat(((Number) bytes).longValue()).isBetween(1000L, 60_000L);
      for (int i = 0; i < 5; i++) {
        visitor.open("").sees("tbody", "queue-0");
        visitor.page.waitForFunction("() => window.firstView");
        print("first view", ((Number) visitor.page.evaluate(FIRST_VIEW)).doubleValue(), "ms");
      }
      assertThat(responses).allMatch(each -> each.url().startsWith(console.address() + "/"));
    }
  }

  @Test
  @Tag("extended")
  void thousandRows_areDrawnAgain_andFurtherOnesArePages(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.scheduleMany("mail", 1100, 30);
      Visitor visitor = console.visitor();
      visitor.open("q/mail");
      while (visitor.page.locator("tbody tr").count() < 1000) {
        int before = visitor.page.locator("tbody tr").count();
        visitor.press("Show more");
        visitor.page.locator("tbody tr").nth(before).waitFor();
      }
      for (int i = 0; i < 5; i++) {
        print("1,000 rows drawn", ((Number) visitor.page.evaluate(DRAW)).doubleValue(), "ms");
      }
      visitor.press("Show more");
      visitor.sees(".more", "100 of 1,100");
      visitor.press("First page");
      visitor.sees(".more", "1,000 of 1,100");
    }
  }

  @Test
  void hiddenPage_asksForNothing(Browser browser) {
    try (Console console = filled(browser, folder)) {
      Visitor visitor = console.visitor();
      visitor.open("").sees(".right", "live");
      AtomicInteger requests = new AtomicInteger();
      visitor.page.onRequest(request -> requests.incrementAndGet());
      visitor.page.evaluate(HIDE, true);
      visitor.page.waitForTimeout(1000);
      requests.set(0);
      visitor.page.waitForTimeout(6000);
      assertThat(requests.get()).isZero();
      visitor.page.evaluate(HIDE, false);
      visitor.page.waitForCondition(() -> requests.get() > 0);
      visitor.sees(".right", "live");
    }
  }

  @Test
  @Tag("extended")
  void openAndHiddenOverview_costTheServer(Browser browser) {
    try (Console console = filled(browser, folder)) {
      cpu(null);
      printCpu("CPU of the server without a page", null);
      Visitor visitor = console.visitor();
      visitor.open("").sees(".right", "live");
      // A young JVM compiles for about a minute what the overview runs.
      for (int i = 0; i < 4; i++) {
        printCpu("CPU of the server with an open overview", visitor.page);
      }
      visitor.page.evaluate(HIDE, true);
      visitor.page.waitForTimeout(2000);
      cpu(visitor.page);
      printCpu("CPU of the server with a hidden overview", visitor.page);
      visitor.close();
      printCpu("CPU of the server after the page", null);
    }
  }

  /** The server's threads; the compiler and the browser's client share the process with them. */
  private static long serverNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
        .filter(each -> each != null && each.getThreadName().startsWith("punctual"))
        .mapToLong(each -> Math.max(0, threads.getThreadCpuTime(each.getThreadId())))
        .sum();
  }

  private static void printCpu(String what, @Nullable Page page) {
    long before = serverNanos();
    long begin = System.nanoTime();
    print(what + ", with the browser's client and the compiler", cpu(page), "% of a core");
    double share = 100.0 * (serverNanos() - before) / (System.nanoTime() - begin);
    System.out.printf(Locale.ROOT, "mark: %s, its threads: %.2f %% of a core%n", what, share);
  }

  /** Returns the share of a core that this process uses for {@link #SPAN}. */
  private static double cpu(@Nullable Page page) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = system.getProcessCpuTime();
    long begin = System.nanoTime();
    if (page == null) {
      try {
        TimeUnit.MILLISECONDS.sleep(SPAN.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    } else {
      page.waitForTimeout((double) SPAN.toMillis());
    }
    return 100.0
        * (double) (system.getProcessCpuTime() - before)
        / (double) (System.nanoTime() - begin);
  }
}
