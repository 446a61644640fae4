package io.punctual.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Marks a test of the application's listeners alone. The context has the beans with {@link
 * io.punctual.spring.PunctualListener} methods, and Punctual in memory as {@link
 * AutoConfigurePunctualTest} describes it. The test must provide the other beans that the listeners
 * need.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(PunctualTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(PunctualTypeExcludeFilter.class)
@AutoConfigurePunctualTest
@ImportAutoConfiguration
public @interface PunctualTest {
  /** Properties of the form {@code key=value}. */
  String[] properties() default {};

  /** Whether the component scan finds beans with listeners. */
  boolean useDefaultFilters() default true;

  /** Filters of further beans for the component scan to find. */
  Filter[] includeFilters() default {};

  /** Filters of beans to leave out. */
  Filter[] excludeFilters() default {};

  /** Auto-configurations to leave out. */
  @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
  Class<?>[] excludeAutoConfiguration() default {};
}
