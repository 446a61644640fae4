/**
 * Punctual in applications of the Spring Framework: annotated listeners, the registry that starts
 * and stops them, and a template for producers.
 *
 * <p>Half of the classes are for users. The remaining classes read the annotations ({@code
 * Listener*}, {@code Handler*}), choose codecs ({@code *Codecs}) or send the changes of a
 * transaction ({@code PendingChanges}). They stay in this package so that they are not public.
 */
@NullMarked
package io.punctual.spring;

import org.jspecify.annotations.NullMarked;
