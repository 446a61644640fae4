package io.punctual.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Replaces the store of a test with {@code @SpringBootTest} by a store in memory, on a {@link
 * io.punctual.test.ManualClock}, and adds a {@link PunctualTester}. Batches do not linger. A
 * context with the application's own bean of {@link io.punctual.Punctual} fails to start. So does a
 * context with a bean that needs {@link io.punctual.spring.PunctualTransactions}, because a store
 * in memory takes no part in the transactions of a database: test such beans on the SQL store,
 * without this annotation.
 *
 * <p>A listener that still runs when the context closes has two seconds of real time to return.
 * Then the clock advances beyond the listener's grace period, and the listener is interrupted.
 *
 * <p>Spring's test framework uses a context for many tests. These tests share the messages and the
 * clock, so each test starts at the time at which the previous test ended. A test that needs empty
 * queues must purge them first, in a method with {@code @BeforeEach}. Do not run two test methods
 * of a context at the same time.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration(PunctualTestAutoConfiguration.class)
public @interface AutoConfigurePunctualTest {}
