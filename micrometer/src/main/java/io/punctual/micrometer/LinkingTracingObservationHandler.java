package io.punctual.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.punctual.Delivery;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Begins a new trace for each call of a worker's handler. The trace links to the traces in which
 * the messages of the call were scheduled: see {@link Propagation#LINK}. Register this handler
 * before the handlers of Micrometer Tracing, in a composite that runs only the first handler that
 * supports an observation:
 *
 * <pre>{@code
 * observations.observationConfig().observationHandler(
 *     new ObservationHandler.FirstMatchingCompositeObservationHandler(
 *         new LinkingTracingObservationHandler(tracer, propagator),
 *         new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
 *         new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
 *         new DefaultTracingObservationHandler(tracer)));
 * }</pre>
 *
 * <p>The auto-configuration for Spring Boot registers this handler. Requires Micrometer Tracing.
 * Safe for use by many threads.
 */
public final class LinkingTracingObservationHandler
    implements TracingObservationHandler<ProcessContext> {
  private final Receiver receiver;

  /** Creates a handler. */
  public LinkingTracingObservationHandler(Tracer tracer, Propagator propagator) {
    this.receiver = new Receiver(tracer, propagator);
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof ProcessContext process && process.propagation() == Propagation.LINK;
  }

  @Override
  public void onStart(ProcessContext context) {
    receiver.onStart(context);
  }

  @Override
  public void onError(ProcessContext context) {
    receiver.onError(context);
  }

  @Override
  public void onStop(ProcessContext context) {
    receiver.onStop(context);
  }

  @Override
  public Tracer getTracer() {
    return receiver.getTracer();
  }

  /**
   * Extends Micrometer's handler in place of the outer class. If the outer class extended that
   * handler, a bean of the outer class would keep Spring Boot from creating a bean of Micrometer's
   * handler.
   */
  private static final class Receiver
      extends PropagatingReceiverTracingObservationHandler<ProcessContext> {
    private final Propagator propagator;
    private final Set<String> fields;

    Receiver(Tracer tracer, Propagator propagator) {
      super(tracer, propagator);
      this.propagator = propagator;
      this.fields = Set.copyOf(propagator.fields());
    }

    @Override
    public Span.Builder customizeExtractedSpan(ProcessContext context, Span.Builder builder) {
      builder.setNoParent();
      for (Delivery<?> delivery : context.deliveries()) {
        link(delivery.headers()).ifPresent(builder::addLink);
      }
      return builder;
    }

    private Optional<Link> link(Map<String, String> headers) {
      String text = headers.get(TraceParent.FIELD);
      if (text != null && fields.contains(TraceParent.FIELD)) {
        TraceParent parent = TraceParent.parse(text);
        if (parent != null) {
          return Optional.of(link(parent.traceId(), parent.spanId(), parent.sampled()));
        }
      }
      return fields.stream().anyMatch(headers::containsKey)
          ? linkOfChild(headers)
          : Optional.empty();
    }

    /**
     * Returns a link to the span of the sender, from headers of any format. A propagator can only
     * create a child of the sender's span, so this method creates a child, reads the child's
     * parent, and abandons the child.
     */
    private Optional<Link> linkOfChild(Map<String, String> headers) {
      Span child = propagator.extract(headers, Map::get).start();
      try {
        TraceContext context = child.context();
        String parent = context.parentId();
        return parent == null || parent.isEmpty()
            ? Optional.empty()
            : Optional.of(link(context.traceId(), parent, context.sampled()));
      } finally {
        child.abandon();
      }
    }

    private Link link(String traceId, String spanId, @Nullable Boolean sampled) {
      return new Link(
          getTracer()
              .traceContextBuilder()
              .traceId(traceId)
              .spanId(spanId)
              .sampled(sampled)
              .build());
    }
  }
}
