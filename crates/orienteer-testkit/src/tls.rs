//! A private certificate authority, and a secure door before a plain server: both by programs that we did not write.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Takes secure connections and asks the plain server behind it. `argv`: certificate, key, port of the server.
const DOOR: &str = r#"
import http.client, http.server, ssl, sys
certificate, key, behind = sys.argv[1], sys.argv[2], int(sys.argv[3])
class Door(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = http.client.HTTPConnection("localhost", behind)
        server.request("GET", self.path, headers=dict(self.headers))
        answer = server.getresponse()
        body = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "content-length", "transfer-encoding", "keep-alive"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
class Doors(http.server.ThreadingHTTPServer):
    def finish_request(self, request, place):
        try:
            super().finish_request(context.wrap_socket(request, server_side=True), place)
        except OSError:
            pass
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
doors = Doors(("127.0.0.1", 0), Door)
print(doors.server_address[1], flush=True)
doors.serve_forever()
"#;

/// An authority that nobody knows, with one certificate signed by it.
#[derive(Debug)]
pub struct Authority {
    folder: tempfile::TempDir,
}

impl Authority {
    /// The certificate is for these names, written as OpenSSL has them: `DNS:forge.test`, `IP:127.0.0.1`.
    pub fn new(names: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Self { folder };
        let details =
            format!("subjectAltName={names}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n");
        std::fs::write(authority.place("details"), details).unwrap();
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
        let own =
            ["req", "-x509", "-days", "2", "-subj", "/CN=An authority of this test", "-keyout", "own.key"];
        let own =
            [&own[..], &curve, &["-addext", "keyUsage=critical,keyCertSign", "-out", "own.pem"]].concat();
        authority.openssl(&own);
        let asked = ["req", "-subj", "/CN=A server of this test", "-keyout", "server.key", "-out", "asked"];
        authority.openssl(&[&asked[..], &curve].concat());
        let signed =
            ["x509", "-req", "-in", "asked", "-CA", "own.pem", "-CAkey", "own.key", "-CAcreateserial"];
        let signed = [&signed[..], &["-days", "2", "-extfile", "details", "-out", "server.pem"]].concat();
        authority.openssl(&signed);
        // As programs look for it in a folder of authorities: by the digest of its name.
        let digest = authority.openssl(&["x509", "-hash", "-noout", "-in", "own.pem"]);
        std::fs::create_dir(authority.store()).unwrap();
        let name = format!("{}.0", digest.trim());
        std::fs::copy(authority.place("own.pem"), authority.store().join(name)).unwrap();
        authority
    }

    fn openssl(&self, arguments: &[&str]) -> String {
        let output = Command::new("openssl").args(arguments).current_dir(self.folder.path()).output();
        let output = output.expect("openssl is not installed: `apt-get install openssl` installs it");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// For `SSL_CERT_FILE`.
    pub fn file(&self) -> PathBuf {
        self.place("own.pem")
    }

    /// For `SSL_CERT_DIR`.
    pub fn store(&self) -> PathBuf {
        self.place("store")
    }

    /// A door with the signed certificate, before a server of this machine.
    pub fn door(&self, port: u16) -> Door {
        Door::start(&self.place("server.pem"), &self.place("server.key"), port)
    }
}

/// Killed when dropped.
#[derive(Debug)]
pub struct Door {
    child: Child,
    port: u16,
}

impl Door {
    fn start(certificate: &Path, key: &Path, behind: u16) -> Self {
        let mut child = Command::new("python3")
            .args(["-c", DOOR])
            .args([certificate, key])
            .arg(behind.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is installed");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a port");
        Self { child, port: line.trim().parse().expect("it says where it listens") }
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
