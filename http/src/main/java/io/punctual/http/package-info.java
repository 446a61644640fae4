/**
 * The HTTP API as a function of a request to a stage of an answer. Nothing in it knows the server
 * that receives the requests: an adapter passes the head of a request to {@link
 * io.punctual.http.HttpService#accept}, reads as much of the body as the call takes, and writes the
 * answer.
 */
@NullMarked
package io.punctual.http;

import org.jspecify.annotations.NullMarked;
