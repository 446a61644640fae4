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
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(PunctualListenerConfiguration.class)
public @interface EnablePunctual {}
