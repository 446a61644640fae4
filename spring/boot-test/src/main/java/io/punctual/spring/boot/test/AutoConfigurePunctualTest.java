package io.punctual.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Puts the queues of a test with {@code @SpringBootTest} into memory, on a {@link
 * io.punctual.test.ManualClock}, and adds a {@link PunctualTester}. The configured store is not
 * used, and batches do not linger. A context with the application's own bean of {@link
 * io.punctual.Punctual} fails to start.
 *
 * <p>Spring's test framework keeps a context for many tests: they share the clock, which only moves
 * forward, and the messages. A test that needs empty queues purges them first, in a method with
 * {@code @BeforeEach}. Run no two methods of a context at the same time.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration(PunctualTestAutoConfiguration.class)
public @interface AutoConfigurePunctualTest {}
