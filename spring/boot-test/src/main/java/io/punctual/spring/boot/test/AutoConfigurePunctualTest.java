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
 * used, and batches do not linger.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration(PunctualTestAutoConfiguration.class)
public @interface AutoConfigurePunctualTest {}
