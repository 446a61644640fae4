package io.punctual.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the lock that a field or method needs, for readers. Error Prone does not check it: Error
 * Prone knows only the annotations of a few libraries, and core depends on none of them.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.FIELD, ElementType.METHOD})
@interface GuardedBy {
  /** Returns the name of the lock's field, or {@code this}. */
  String value();
}
