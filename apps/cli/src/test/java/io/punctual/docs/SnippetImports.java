package io.punctual.docs;

import java.util.List;

/** The imports that pages leave out. */
final class SnippetImports {
  static final List<String> PACKAGES =
      List.of(
          "io.micrometer.common.KeyValues",
          "io.micrometer.core.instrument.observation.DefaultMeterObservationHandler",
          "io.micrometer.observation.ObservationHandler",
          "io.micrometer.observation.ObservationRegistry",
          "io.punctual.*",
          "io.punctual.collection.*",
          "io.punctual.cron.*",
          "io.punctual.deadletter.*",
          "io.punctual.task.*",
          "io.punctual.event.*",
          "io.punctual.jackson.*",
          "io.punctual.jdbc.*",
          "io.punctual.journal.*",
          "io.punctual.memory.*",
          "io.punctual.micrometer.*",
          "io.punctual.rabbitmq.*",
          "io.punctual.redis.*",
          "io.punctual.lock.*",
          "io.punctual.migration.copy.*",
          "io.punctual.migration.deadletter.*",
          "io.punctual.test.ManualClock",
          "io.punctual.timer.Timeout",
          "io.punctual.timer.WheelTimer",
          "java.net.URI",
          "java.net.http.*",
          "java.nio.charset.StandardCharsets",
          "java.time.*",
          "java.util.*",
          "java.util.concurrent.*",
          "java.util.concurrent.atomic.*");

  private SnippetImports() {}
}
