package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.punctual.kit.rabbitmq.RabbitBroker;
import io.punctual.spring.PunctualTemplate;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/** Tests intakes and bridges that properties configure, on a real broker. */
class PunctualRabbitAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  RabbitAutoConfiguration.class,
                  PunctualAutoConfiguration.class,
                  PunctualMetricsAutoConfiguration.class,
                  PunctualRabbitAutoConfiguration.class))
          .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
          .withPropertyValues("punctual.url=memory:");

  private static final String INDICATOR = "punctualRabbitmqHealthIndicator";

  private static HealthIndicator health(org.springframework.context.ApplicationContext context) {
    return context.getBean(INDICATOR, HealthIndicator.class);
  }

  private static void awaitUp(org.springframework.context.ApplicationContext context) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> health(context).health().getStatus().equals(Status.UP));
  }

  @Test
  void properties_startAnIntakeAndABridge_withHealthAndMeters() throws Exception {
    RabbitBroker broker = RabbitBroker.shared();
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("boot.mail", true, false, false, null);
      runner
          .withPropertyValues(
              // The first address does not answer.
              "spring.rabbitmq.addresses=127.0.0.1:1,127.0.0.1:" + broker.port(),
              "punctual.rabbitmq.intakes.orders.source=boot",
              "punctual.rabbitmq.intakes.orders.target=boot.due",
              "punctual.rabbitmq.intakes.orders.target-type=topic",
              "punctual.rabbitmq.intakes.orders.queue-type=classic",
              "punctual.rabbitmq.bridges.reminders.exchange=",
              "punctual.rabbitmq.bridges.reminders.routing-key=boot.mail")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                awaitUp(context);
                assertThat(health(context).health().getDetails())
                    .isEqualTo(Map.of("intake orders", "UP", "bridge reminders", "UP"));
                channel.queueBind("boot.mail", "boot.due", "#");
                channel.basicPublish(
                    "boot",
                    "key",
                    new AMQP.BasicProperties.Builder().headers(Map.of("x-delay", 10)).build(),
                    new byte[1]);
                context.getBean(PunctualTemplate.class).schedule("reminders", "x", Duration.ZERO);
                await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> channel.messageCount("boot.mail") == 2);
                MeterRegistry registry = context.getBean(MeterRegistry.class);
                assertThat(
                        registry.get("punctual.rabbitmq.intake.stored").functionCounter().count())
                    .isEqualTo(1);
                assertThat(
                        registry
                            .get("punctual.rabbitmq.available")
                            .tag("queue", "reminders")
                            .gauge()
                            .value())
                    .isEqualTo(1);
                context.stop();
                assertThat(context.getBean(RabbitLinks.class).available()).isEmpty();
                assertThat(registry.find("punctual.rabbitmq.available").gauge()).isNull();
                context.start();
                awaitUp(context);
              });
    }
  }

  @Test
  void brokerIsAway_applicationStarts_andTheHealthIsDown() {
    runner
        .withPropertyValues(
            "spring.rabbitmq.addresses=127.0.0.1:1",
            "punctual.rabbitmq.bridges.reminders.exchange=shop")
        .run(
            context -> {
              assertThat(health(context).health().getStatus()).isEqualTo(Status.DOWN);
              assertThat(health(context).health().getDetails())
                  .isEqualTo(Map.of("bridge reminders", "DOWN"));
            });
  }

  @Test
  void listenersReceiveBatches_bridgeStartsNevertheless() {
    runner
        .withPropertyValues(
            "spring.rabbitmq.addresses=127.0.0.1:1",
            "punctual.listener.batch-size=50",
            "punctual.rabbitmq.bridges.reminders.exchange=shop")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void factoryOfTheApplication_linksUseItsBroker() throws Exception {
    RabbitBroker broker = RabbitBroker.shared();
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("boot.own", true, false, false, null);
    }
    runner
        .withBean(
            CachingConnectionFactory.class,
            () -> new CachingConnectionFactory("127.0.0.1", broker.port()))
        .withPropertyValues(
            "punctual.rabbitmq.bridges.reminders.exchange=",
            "punctual.rabbitmq.bridges.reminders.routing-key=boot.own")
        .run(PunctualRabbitAutoConfigurationTest::awaitUp);
  }

  @Test
  void factoryOfTheApplicationWithTheAddressesOfTheProperties_linksUseThem() {
    String address = "127.0.0.1:" + RabbitBroker.shared().port();
    runner
        .withBean(
            CachingConnectionFactory.class,
            () -> {
              CachingConnectionFactory factory = new CachingConnectionFactory();
              factory.setAddresses(address);
              return factory;
            })
        .withPropertyValues(
            "spring.rabbitmq.addresses=" + address,
            "punctual.rabbitmq.bridges.reminders.exchange=amq.topic")
        .run(PunctualRabbitAutoConfigurationTest::awaitUp);
  }

  @Test
  void twoFactoriesAndNoLink_applicationStarts() {
    runner
        .withBean("one", CachingConnectionFactory.class, CachingConnectionFactory::new)
        .withBean("two", CachingConnectionFactory.class, CachingConnectionFactory::new)
        // Such an application has its own, because Boot's needs a single connection factory.
        .withBean("rabbitListenerContainerFactory", Object.class, Object::new)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void applicationFailsAfterTheStartOfTheLinks_nothingKeepsTheProcessAlive() {
    runner
        .withPropertyValues(
            "spring.rabbitmq.addresses=127.0.0.1:1",
            "punctual.rabbitmq.bridges.reminders.exchange=shop")
        .withInitializer(
            context ->
                context.addApplicationListener(
                    (ApplicationListener<ContextRefreshedEvent>)
                        event -> {
                          throw new IllegalStateException("seeded");
                        }))
        .run(
            context -> {
              assertThat(context).getFailure().hasMessageContaining("seeded");
              await().atMost(Duration.ofMinutes(1)).until(() -> keepAlive() == 0);
            });
  }

  /** A child has the properties of its parent; it would start each link a second time. */
  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void childContext_startsOnlyTheLinksThatItsParentLacks(CapturedOutput output) {
    ApplicationContextRunner both =
        runner.withPropertyValues(
            "spring.rabbitmq.addresses=127.0.0.1:1",
            "punctual.rabbitmq.bridges.reminders.exchange=shop");
    both.run(
        parent ->
            both.withParent(parent)
                .withPropertyValues("punctual.rabbitmq.bridges.others.exchange=shop")
                .run(
                    child -> {
                      assertThat(child.getSourceApplicationContext().containsLocalBean(INDICATOR))
                          .isFalse();
                      assertThat(health(parent).health().getDetails())
                          .containsOnlyKeys("bridge reminders", "bridge others");
                      child.getSourceApplicationContext().close();
                      assertThat(health(parent).health().getDetails())
                          .containsOnlyKeys("bridge reminders");
                    }));
    assertThat(output).doesNotContain("have no effect");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void childContextChangesALinkOfItsParent_isNamed(CapturedOutput output) {
    ApplicationContextRunner away =
        runner.withPropertyValues("spring.rabbitmq.addresses=127.0.0.1:1");
    away.withPropertyValues("punctual.rabbitmq.bridges.reminders.exchange=shop")
        .run(
            parent ->
                away.withParent(parent)
                    .withPropertyValues("punctual.rabbitmq.bridges.reminders.exchange=other")
                    .run(
                        child ->
                            assertThat(health(child).health().getDetails())
                                .containsOnlyKeys("bridge reminders")));
    assertThat(output)
        .contains("punctual.rabbitmq.bridges.reminders.*", "its parent has another link");
  }

  private static long keepAlive() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals("punctual-rabbitmq-keep-alive"))
        .count();
  }

  @Test
  void missingProperty_failsAndNamesIt() {
    for (String property : new String[] {"intakes.a.source=x", "bridges.a.routing-key=x"}) {
      runner
          .withPropertyValues("punctual.rabbitmq." + property)
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .rootCause()
                      .hasMessageMatching(
                          "The property punctual.rabbitmq.(intakes.a.target|bridges.a.exchange) is"
                              + " missing"));
    }
  }

  @Test
  void noIntakeAndNoBridge_hasNoEffect() {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed();
          assertThat(health(context).health().getStatus()).isEqualTo(Status.UP);
        });
  }
}
