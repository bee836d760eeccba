//! The address of a gametape server: `http://host:7223`, optionally with a path. TLS is not supported.

use axum::http::Uri;

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpAddress {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// As sent in the `Host` header.
    pub(crate) authority: String,
    /// Without a trailing slash.
    pub(crate) path: String,
}

impl HttpAddress {
    /// Parses an address like `http://laps.example:7223`.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{url:?} is not an address like http://host:7223 (TLS is not supported: use a tunnel, or a proxy on this machine)"
            )
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http")).ok_or_else(wrong)?;
        if uri.query().is_some() || authority.as_str().contains('@') {
            return Err(wrong());
        }
        Ok(Self {
            host: authority.host().trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: authority.port_u16().unwrap_or(80),
            authority: authority.as_str().to_owned(),
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Returns the address as a URL.
    pub(crate) fn name(&self) -> String {
        format!("http://{}{}", self.authority, self.path)
    }
}

/// Whether the text is a valid token. It is sent in a header.
pub(crate) fn is_token(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_servers_are_read_and_others_refused() {
        let address = HttpAddress::parse("http://laps.example:7223/rig/").unwrap();
        assert_eq!(address.name(), "http://laps.example:7223/rig");
        assert_eq!(HttpAddress::parse("http://[::1]:80").unwrap().host, "::1");
        for wrong in ["", "laps.example", "https://laps.example", "http://", "http://a?b=c", "http://u:p@host"] {
            assert!(HttpAddress::parse(wrong).is_err(), "{wrong}");
        }
        assert!(is_token("gt_x") && !is_token("") && !is_token("a b"));
    }
}
