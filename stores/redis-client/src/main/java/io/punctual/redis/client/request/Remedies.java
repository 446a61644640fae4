package io.punctual.redis.client.request;

import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** What a user can do about the failures of a new connection. */
final class Remedies {
  private static final String FEWER_DATABASES =
      "the server has no database of this number: name a smaller number in the URL, or raise the"
          + " server's setting 'databases'";

  private static final Map<String, String> REMEDIES =
      Map.of(
          "NOAUTH",
          "put the password into the URL, as in redis://:PASSWORD@host:6379",
          "ERR AUTH <password> called without",
          "the server has no password: take the password out of the URL",
          "ERR invalid DB index",
          FEWER_DATABASES,
          "ERR DB index is out of range",
          FEWER_DATABASES,
          "ERR SELECT is not allowed in cluster mode",
          "a Cluster has only database 0: name it with redis-cluster://host:port, without a"
              + " database");

  private static final Pattern CERTIFICATE_UNKNOWN = Pattern.compile("certification path|PKIX");

  private static final Pattern CERTIFICATE_WANTED =
      Pattern.compile("alert: (certificate_required|handshake_failure|bad_certificate)");

  private static final Pattern WRONG_NAME = Pattern.compile("No (subject|name) ");

  private Remedies() {}

  /** Returns an error reply of the server, with what to do about it if that is known. */
  static String ofReply(String error) {
    return REMEDIES.entrySet().stream()
        .filter(remedy -> error.startsWith(remedy.getKey()))
        .findFirst()
        .map(remedy -> error + "; " + remedy.getValue())
        .orElse(error);
  }

  static boolean isOfHandshake(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException) {
        return true;
      }
    }
    return false;
  }

  /** Returns the failure of a handshake, with what to do about it if that is known. */
  static String ofHandshake(String message) {
    String remedy = "";
    if (CERTIFICATE_UNKNOWN.matcher(message).find()) {
      remedy = "; trust the server's certificate by trustCertificates or trustStore in the URL";
    } else if (CERTIFICATE_WANTED.matcher(message).find()) {
      remedy =
          "; if the server wants a certificate of the client, name it by clientCertificate and"
              + " clientKey, or by keyStore, in the URL";
    } else if (WRONG_NAME.matcher(message).lookingAt()) {
      remedy =
          "; name the server in the URL by a name of its certificate, or check only who signed it"
              + " with verifyPeer=ca";
    }
    return "the handshake of TLS failed: " + message + remedy;
  }
}
