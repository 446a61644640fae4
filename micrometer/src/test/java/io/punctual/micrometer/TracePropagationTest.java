package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.extension.trace.propagation.B3Propagator;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.punctual.Message;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the traces of schedules and handlers, with OpenTelemetry. */
class TracePropagationTest {
  private final List<SpanData> spans = new CopyOnWriteArrayList<>();
  private final AtomicInteger started = new AtomicInteger();
  private final SdkTracerProvider provider = provider(Sampler.alwaysOn());
  private TextMapPropagator format = W3CTraceContextPropagator.getInstance();

  @AfterEach
  void close() {
    provider.close();
  }

  private SdkTracerProvider provider(Sampler sampler) {
    return SdkTracerProvider.builder()
        .setSampler(sampler)
        .addSpanProcessor(
            new SpanProcessor() {
              @Override
              public void onStart(Context parent, ReadWriteSpan span) {
                started.incrementAndGet();
              }

              @Override
              public boolean isStartRequired() {
                return true;
              }

              @Override
              public void onEnd(ReadableSpan span) {}

              @Override
              public boolean isEndRequired() {
                return false;
              }
            })
        .addSpanProcessor(
            SimpleSpanProcessor.create(
                new SpanExporter() {
                  @Override
                  public CompletableResultCode export(Collection<SpanData> ended) {
                    spans.addAll(ended);
                    return CompletableResultCode.ofSuccess();
                  }

                  @Override
                  public CompletableResultCode flush() {
                    return CompletableResultCode.ofSuccess();
                  }

                  @Override
                  public CompletableResultCode shutdown() {
                    return CompletableResultCode.ofSuccess();
                  }
                }))
        .build();
  }

  private ObservationRegistry registry(SdkTracerProvider provider, boolean linking) {
    io.opentelemetry.api.trace.Tracer otel = provider.get("test");
    OtelTracer tracer = new OtelTracer(otel, new OtelCurrentTraceContext(), event -> {});
    Propagator propagator = new OtelPropagator(ContextPropagators.create(format), otel);
    List<ObservationHandler<? extends Observation.Context>> handlers =
        new CopyOnWriteArrayList<>(
            List.of(
                new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
    if (linking) {
      handlers.add(0, new LinkingTracingObservationHandler(tracer, propagator));
    }
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler.FirstMatchingCompositeObservationHandler(handlers));
    return registry;
  }

  /**
   * Schedules each message inside a span of its own. A worker then handles the messages as a batch.
   */
  private void run(Propagation propagation, boolean linking, Sampler sampler, int messages) {
    ObservationRegistry registry = registry(provider(sampler), linking);
    PunctualObservations observations =
        PunctualObservations.builder(registry).propagation(propagation).build();
    try (MeteredWorld world =
        new MeteredWorld(
            PunctualMeters.builder(new SimpleMeterRegistry()), List.of(observations))) {
      for (int i = 0; i < messages; i++) {
        String id = "m" + i;
        Observation.createNotStarted("checkout", registry)
            .observe(() -> world.queue.schedule(Message.of("a").id(id)));
      }
      world.queue.workBatches(MeteredWorld.inline().build(), deliveries -> {});
      world.advance(Duration.ofSeconds(1));
    }
  }

  private void run(Propagation propagation) {
    run(propagation, true, Sampler.alwaysOn(), 1);
  }

  private SpanData span(String name) {
    return spans.stream().filter(span -> span.getName().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void producer_isAChildOfTheCallersSpan() {
    run(Propagation.LINK);
    SpanData schedule = span("schedule orders");
    assertThat(schedule.getKind()).isEqualTo(SpanKind.PRODUCER);
    assertThat(schedule.getTraceId()).isEqualTo(span("checkout").getTraceId());
    assertThat(schedule.getParentSpanId()).isEqualTo(span("checkout").getSpanId());
  }

  @Test
  void link_handlerIsANewRootThatLinksToTheProducer() {
    run(Propagation.LINK);
    SpanData schedule = span("schedule orders");
    SpanData process = span("process orders");
    assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
    assertThat(process.getTraceId()).isNotEqualTo(schedule.getTraceId());
    assertThat(process.getParentSpanContext().isValid()).isFalse();
    assertThat(process.getLinks())
        .singleElement()
        .satisfies(
            link -> {
              assertThat(link.getSpanContext().getTraceId()).isEqualTo(schedule.getTraceId());
              assertThat(link.getSpanContext().getSpanId()).isEqualTo(schedule.getSpanId());
            });
    assertThat(spans).hasSize(3);
    assertThat(started).as("a link needs no span of its own").hasValue(3);
  }

  @Test
  void link_otherFormatOfHeaders_isReadByThePropagator() {
    format = B3Propagator.injectingSingleHeader();
    run(Propagation.LINK);
    SpanData schedule = span("schedule orders");
    assertThat(span("process orders").getLinks())
        .singleElement()
        .satisfies(
            link -> {
              assertThat(link.getSpanContext().getTraceId()).isEqualTo(schedule.getTraceId());
              assertThat(link.getSpanContext().getSpanId()).isEqualTo(schedule.getSpanId());
            });
    assertThat(spans).hasSize(3);
  }

  @Test
  void link_batchLinksToEachProducer() {
    run(Propagation.LINK, true, Sampler.alwaysOn(), 3);
    assertThat(span("process orders").getLinks())
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactlyInAnyOrderElementsOf(
            spans.stream()
                .filter(span -> span.getName().equals("schedule orders"))
                .map(SpanData::getSpanId)
                .toList());
  }

  @Test
  void link_withoutTheLinkingHandler_isStillANewRoot() {
    run(Propagation.LINK, false, Sampler.alwaysOn(), 1);
    assertThat(span("process orders").getParentSpanContext().isValid()).isFalse();
    assertThat(span("process orders").getLinks()).isEmpty();
  }

  @Test
  void parent_handlerContinuesTheTraceOfTheProducer() {
    run(Propagation.PARENT);
    assertThat(span("process orders").getTraceId()).isEqualTo(span("checkout").getTraceId());
    assertThat(span("process orders").getParentSpanId())
        .isEqualTo(span("schedule orders").getSpanId());
    assertThat(span("process orders").getLinks()).isEmpty();
  }

  @Test
  void none_handlerIsANewRootWithoutALink() {
    run(Propagation.NONE);
    assertThat(span("process orders").getParentSpanContext().isValid()).isFalse();
    assertThat(span("process orders").getLinks()).isEmpty();
  }

  @Test
  void unsampledTraces_doNotBreakTheHandler() {
    run(Propagation.LINK, true, Sampler.alwaysOff(), 1);
    assertThat(spans).isEmpty();
  }
}
