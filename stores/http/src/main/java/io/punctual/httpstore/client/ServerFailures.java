package io.punctual.httpstore.client;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.httpstore.wire.Failure;
import io.punctual.httpstore.wire.UnreadableException;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Converts answers that are failures, and failures without an answer, into exceptions. */
final class ServerFailures {
  /** What Java's client says of an answer that is not HTTP. */
  private static final String STRANGE = "Invalid status line";

  private final ServerAddress address;

  ServerFailures(ServerAddress address) {
    this.address = address;
  }

  /** Returns the exception for an answer that is not 200, or not of the type of an answer. */
  RuntimeException of(int status, HttpHeaders headers, byte[] body) {
    String type = headers.firstValue("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    if (type.startsWith(Wire.TYPE)) {
      try {
        return of((Failure) Wire.answer(Failure.class, body));
      } catch (UnreadableException newer) {
        return new PunctualException(
            address + " answered " + status + " in a form that this version can't read", newer);
      }
    }
    return ofStranger(status, headers, type);
  }

  private RuntimeException of(Failure failure) {
    String message = failure.message();
    return switch (failure.kind()) {
      case NOT_SENT -> new Partition.NotSentException(message, null);
      case REFUSED, TOO_LARGE -> new Partition.PartitionException(message, null);
      case PARTITION_COUNT -> new Partition.PartitionCountException(failure.partitions(), null);
      case WRONG -> new IllegalArgumentException(message);
      case UNSUPPORTED -> new UnsupportedOperationException(message);
      case UNKNOWN -> new PunctualException(message, null);
      case REFUSED_FOR_NOW, UNAUTHENTICATED, FORBIDDEN, NO_SUCH_REQUEST, WRONG_METHOD, UNREADABLE ->
          refused(message);
    };
  }

  private RuntimeException refused(String why) {
    return new Partition.RefusedForNowException(address + " refuses the request: " + why, null);
  }

  /** Returns the exception for an answer that the service of the server did not write. */
  private RuntimeException ofStranger(int status, HttpHeaders headers, String type) {
    String what = address + " answered " + status;
    return switch (status) {
      case 401 ->
          new Partition.RefusedForNowException(
              what
                  + ": the token is missing, unknown or expired. Name a file that has it with"
                  + " ?tokenFile=…, or write it before the host, as in https://token:pnc_…@host",
              null);
      case 403 ->
          new Partition.RefusedForNowException(
              what + ": the token lacks the right STORE to this queue", null);
      case 404, 405 ->
          new Partition.RefusedForNowException(
              what
                  + (type.startsWith("application/problem+json")
                          ? ": the Punctual server has no HTTP store of this version (%s)"
                          : ": there is no Punctual server at this address, or not with the HTTP"
                              + " store of this version (%s)")
                      .formatted(Wire.VERSION)
                  + ". Check the host, the port and the path of the URL, and the versions",
              null);
      case 413 ->
          new Partition.PartitionException(
              what + ": the request is too large for the server or a proxy before it", null);
      case 421 ->
          new Partition.RefusedForNowException(
              what
                  + ": the server does not answer to this host name; use a name from its"
                  + " configuration",
              null);
      case 429 -> new Partition.NotSentException(what + ": too many requests at a time", null);
      case 301, 302, 303, 307, 308 ->
          new Partition.RefusedForNowException(
              what
                  + ", a redirection to "
                  + headers.firstValue("Location").orElse("an unknown place")
                  + ". Use the address of the server itself in the URL",
              null);
      case 400 ->
          new Partition.RefusedForNowException(
              what
                  + ", and not as a Punctual server does"
                  + (address.isTls() ? "" : ": if the port expects TLS, write https"),
              null);
      case 200 ->
          new Partition.RefusedForNowException(
              what
                  + (type.startsWith("text/html") ? " with a web page" : " with another type")
                  + ": this is not a Punctual server, or a proxy answers in its place. Check the"
                  + " URL",
              null);
      default ->
          new PunctualException(
              what + ", probably by a proxy before the server; its log has the reason", null);
    };
  }

  /**
   * Returns the exception for a request without an answer.
   *
   * @param wasSent whether the connection has asked for the request; it may ask before TLS fails
   */
  RuntimeException of(Throwable failure, boolean wasSent) {
    boolean mayHaveArrived = wasSent && !isFailureOfTls(failure);
    String message = address + (mayHaveArrived ? " gave no answer: " : " can't be reached: ");
    String reason = message + reason(failure);
    return mayHaveArrived
        ? new PunctualException(reason, failure)
        : new Partition.NotSentException(reason, refusal(failure, reason));
  }

  /** Returns whether a connection ended that had been made, for a reason of the network. */
  static boolean isBrokenConnection(Throwable failure) {
    return failure instanceof IOException
        && !(failure instanceof ConnectException
            || failure instanceof HttpTimeoutException
            || failure instanceof ProtocolException
            || failure instanceof SSLHandshakeException
            || failure instanceof SSLPeerUnverifiedException)
        && !hasText(failure, STRANGE);
  }

  /** Returns whether the two sides could not agree on TLS, so that nothing was sent. */
  private static boolean isFailureOfTls(Throwable failure) {
    return failure instanceof SSLHandshakeException
        || failure instanceof SSLPeerUnverifiedException
        || isPlain(failure);
  }

  private static boolean isPlain(Throwable failure) {
    return failure instanceof SSLException
        && String.valueOf(failure.getMessage())
            .toLowerCase(Locale.ROOT)
            .contains("unrecognized ssl message");
  }

  /** Returns a cause that tells that only a person can help, or the failure itself. */
  private static Throwable refusal(Throwable failure, String reason) {
    return failure instanceof SSLException ? new StoreRefusedException(reason, failure) : failure;
  }

  private String reason(Throwable failure) {
    String text =
        failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    if (failure instanceof SSLException) {
      return isPlain(failure)
          ? "the port does not speak TLS; write http, not https"
          : text + ". If the certificate is your own, name it with ?trustCertificates=FILE";
    }
    if (failure instanceof HttpConnectTimeoutException && address.isTls()) {
      return text + "; if the port does not speak TLS, write http, not https";
    }
    if (failure instanceof ConnectException && failure.getMessage() == null) {
      return failure.getCause() instanceof UnresolvedAddressException
          ? "the host name has no address"
          : "connection refused, so no server runs there, or a firewall forbids it";
    }
    if (hasText(failure, "received no bytes")) {
      return "the connection was closed before the answer";
    }
    boolean isStrange = failure instanceof ProtocolException || hasText(failure, STRANGE);
    return isStrange && !address.isTls()
        ? text + "; if the port expects TLS, write https, not http"
        : text;
  }

  private static boolean hasText(@Nullable Throwable failure, String text) {
    return failure != null
        && (String.valueOf(failure.getMessage()).contains(text)
            || hasText(failure.getCause(), text));
  }
}
