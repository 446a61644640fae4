package io.punctual.spring.boot.test;

import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualListeners;
import java.io.IOException;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Restricts the component scan of {@link PunctualTest} to beans with listeners. */
final class PunctualTypeExcludeFilter
    extends StandardAnnotationCustomizableTypeExcludeFilter<PunctualTest> {
  PunctualTypeExcludeFilter(Class<?> test) {
    super(test);
  }

  @Override
  protected boolean defaultInclude(MetadataReader type, MetadataReaderFactory factory)
      throws IOException {
    AnnotationMetadata metadata = type.getAnnotationMetadata();
    return super.defaultInclude(type, factory)
        || metadata.hasAnnotatedMethods(PunctualListener.class.getName())
        || metadata.hasAnnotatedMethods(PunctualListeners.class.getName());
  }
}
