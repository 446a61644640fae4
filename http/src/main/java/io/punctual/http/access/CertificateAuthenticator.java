package io.punctual.http.access;

import io.punctual.http.exchange.RequestHead;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.x500.X500Principal;

/** Knows callers by the subject of their certificate, which the server has verified. Immutable. */
public final class CertificateAuthenticator implements Authenticator {
  private final Map<X500Principal, Caller> callers = new HashMap<>();

  /**
   * Creates an authenticator.
   *
   * @param callers the callers by their subjects, such as {@code CN=shop,O=Example}
   * @throws IllegalArgumentException if a subject is no distinguished name
   */
  public CertificateAuthenticator(Map<String, Caller> callers) {
    callers.forEach((subject, caller) -> this.callers.put(new X500Principal(subject), caller));
  }

  @Override
  public Caller authenticate(RequestHead head) {
    X509Certificate certificate = head.clientCertificate();
    Caller caller = certificate == null ? null : callers.get(certificate.getSubjectX500Principal());
    if (caller == null) {
      throw TokenAuthenticator.refusal();
    }
    return caller;
  }
}
