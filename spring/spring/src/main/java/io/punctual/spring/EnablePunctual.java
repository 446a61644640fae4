package io.punctual.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Enables {@link PunctualListener} in an application without Spring Boot. The application defines a
 * bean of {@link io.punctual.Punctual}, and may define {@link PunctualCodecs} and {@link
 * ListenerDefaults}.
 *
 * <p>A stop of the context waits up to 30 seconds for running calls: the grace of 20 seconds and 5
 * seconds each for interrupted calls and settlements. Spring's lifecycle waits 10 seconds only;
 * define the bean {@code lifecycleProcessor}, a {@code DefaultLifecycleProcessor} with {@code
 * setTimeoutPerShutdownPhase(30_000)}, or {@link ListenerDefaults} with a shorter grace.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(PunctualListenerConfiguration.class)
public @interface EnablePunctual {}
