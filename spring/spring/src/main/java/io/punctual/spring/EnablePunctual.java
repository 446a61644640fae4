package io.punctual.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Enables {@link PunctualListener} in an application without Spring Boot. The application must
 * define a bean of {@link io.punctual.Punctual}, and may define beans of {@link PunctualCodecs} and
 * {@link ListenerDefaults}.
 *
 * <p>A stop of the context waits up to 22 seconds for running calls: a grace period of 20 seconds,
 * then 2 seconds for interrupted calls. Spring's lifecycle processor waits only 10 seconds by
 * default. So define the bean {@code lifecycleProcessor} as a {@code DefaultLifecycleProcessor}
 * with {@code setTimeoutPerShutdownPhase(30_000)}, or define {@link ListenerDefaults} with a
 * shorter grace period.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(PunctualListenerConfiguration.class)
public @interface EnablePunctual {}
