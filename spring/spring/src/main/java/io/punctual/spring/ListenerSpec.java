package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.WorkerOptions;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A listener as its annotation defines it.
 *
 * @param description the name of the method, for the texts of exceptions
 * @param queues the names of the queues, at least one
 * @param attributes applies the annotation's attributes to the defaults of a queue
 * @param autoStartup whether the listener starts with the context; null for the default of its
 *     queues
 */
record ListenerSpec(
    String id,
    String description,
    List<String> queues,
    Codec<?> codec,
    UnaryOperator<WorkerOptions> attributes,
    ListenerMethod method,
    @Nullable Boolean autoStartup) {}
