"""Certificates for tests of TLS."""
import os
import subprocess


def make_certificates(folder):
    """A CA with a server and a client, and a client of another CA."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    for ca in ("ca", "stranger"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                f"{ca}.key", "-out", f"{ca}.pem", "-subj", f"/CN={ca}", "-days", "2")
    for name, ca in (("server", "ca"), ("client", "ca"), ("other", "stranger")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
                "-out", f"{name}.csr", "-subj", f"/CN={name}")
        with open(os.path.join(folder, "ext"), "w", encoding="ascii") as f:
            f.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key", "-CAcreateserial",
                "-out", f"{name}.pem", "-days", "2", "-extfile", "ext")
        os.chmod(os.path.join(folder, f"{name}.key"), 0o600)
