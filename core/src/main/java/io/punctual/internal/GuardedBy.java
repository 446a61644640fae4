package io.punctual.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the lock that a field or method needs. Error Prone checks every annotation of this name at
 * compile time, so that core depends on no library for it.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.FIELD, ElementType.METHOD})
@interface GuardedBy {
  /** Returns the name of the lock's field, or {@code this}. */
  String value();
}
