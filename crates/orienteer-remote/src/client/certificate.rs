//! Is it the certificate that a connection failed for, and what can be done about it?

use std::error::Error;
use std::io;

use rustls::CertificateError;

/// Errors of libraries nest; this is deeper than any of them.
const DEEPEST: usize = 16;

/// What is wrong with the host's certificate, if that is the reason.
pub(crate) fn refused(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    for _ in 0..DEEPEST {
        let error = next?;
        if let Some(rustls::Error::InvalidCertificate(why)) = error.downcast_ref() {
            return Some(told(why));
        }
        // Its source is that of what it holds, so what it holds would be passed over.
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match held {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    None
}

fn told(why: &CertificateError) -> String {
    match why {
        CertificateError::UnknownIssuer => {
            "its certificate is signed by an authority that this machine does not know, such as a company's own or that of \
             a proxy that opens connections; put that authority's certificate into the system's certificate store, or \
             name its file in SSL_CERT_FILE"
                .to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; it must be renewed there, unless the clock of this machine is wrong".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; is the clock of this machine right?".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name; check the spelling of the host".to_owned()
        }
        other => format!("its certificate is not accepted: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_found_behind_other_errors() {
        let of = |why| {
            let inner = io::Error::other(rustls::Error::InvalidCertificate(why));
            refused(&io::Error::other(inner))
        };
        for (why, word) in [
            (CertificateError::UnknownIssuer, "SSL_CERT_FILE"),
            (CertificateError::Expired, "expired"),
            (CertificateError::NotValidYet, "clock"),
            (CertificateError::NotValidForName, "another name"),
            (CertificateError::Revoked, "not accepted"),
        ] {
            let told = of(why).unwrap();
            assert!(told.contains(word), "{told}");
        }
    }

    #[test]
    fn other_failures_are_not_laid_to_a_certificate() {
        assert_eq!(refused(&io::Error::other("it broke")), None);
        assert_eq!(refused(&io::Error::from(io::ErrorKind::ConnectionRefused)), None);
        assert_eq!(refused(&io::Error::other(rustls::Error::DecryptError)), None);
    }
}
