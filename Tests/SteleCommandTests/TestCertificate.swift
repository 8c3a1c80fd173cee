// Certificates of tests, which are signed by themselves and are valid for a hundred years.

/// A certificate for localhost, and its key.
struct TestCertificate {
    let certificate: String
    let key: String

    static let one = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBnDCCAUGgAwIBAgIUNI7peolD9UTEhoA8ym39jVw5gcgwCgYIKoZIzj0EAwIw
            FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA3NDQ1NloYDzIxMjYxMTAy
            MDc0NDU2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
            PQMBBwNCAATPw+A9jqK+HZabyH3naq4zmqq52OlFH3jKtuGnq1r4i43dO6bXuShH
            R1Ic4pTPLqKb5vNidsWtTHR2uRcK1eOJo28wbTAdBgNVHQ4EFgQUpcVkie0jOos4
            QU+Bc83dPmF7hI8wHwYDVR0jBBgwFoAUpcVkie0jOos4QU+Bc83dPmF7hI8wDwYD
            VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
            zj0EAwIDSQAwRgIhAIG0iOcxOaCCIiZ++l49nVqGx4jgGJU6kTc+G1y7R1+4AiEA
            5QNjK7Cz94fTwmHjaij38Ll3bwiMgwghqPTFDDUe1XU=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguZTACxvaESiWf3aW
            tBOFWVszUESbVLs7TeuaaRjZxZChRANCAATPw+A9jqK+HZabyH3naq4zmqq52OlF
            H3jKtuGnq1r4i43dO6bXuShHR1Ic4pTPLqKb5vNidsWtTHR2uRcK1eOJ
            -----END PRIVATE KEY-----
            """)

    static let two = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBmzCCAUGgAwIBAgIUH7ASie0G01WyZ/kL+gTQaz7T4/UwCgYIKoZIzj0EAwIw
            FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA3NDQ1NloYDzIxMjYxMTAy
            MDc0NDU2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
            PQMBBwNCAARCr4Lb9heh3QEa6+n0FeodysQLd3nZGKTKL5OE1ScPs3ey2ZlXYpwF
            Thia+yaNlxC6PxI6yEvd6whN6+Hl+PU+o28wbTAdBgNVHQ4EFgQUzg4zzj5auXwX
            SH2eu1CYKZbQeuUwHwYDVR0jBBgwFoAUzg4zzj5auXwXSH2eu1CYKZbQeuUwDwYD
            VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
            zj0EAwIDSAAwRQIgKxVdgXhpvp78hfjKUN++4b2aodsYDhTUHfrjrKl79rECIQC0
            rFOYmGJZUu9F8i1WYp27ck2YOAIiRTQoGGKLn5kXyw==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgULpAkakzh3tnkODN
            dJdDhDbnL1kPOiLEsliJzlMvblShRANCAARCr4Lb9heh3QEa6+n0FeodysQLd3nZ
            GKTKL5OE1ScPs3ey2ZlXYpwFThia+yaNlxC6PxI6yEvd6whN6+Hl+PU+
            -----END PRIVATE KEY-----
            """)
}
