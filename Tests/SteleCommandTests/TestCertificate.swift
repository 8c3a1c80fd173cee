// Certificates of tests, which are signed by themselves. Those without a fault are valid for a
// hundred years.

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

    /// It was valid in January 2024.
    static let expired = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBUzCB+qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
            dDAeFw0yNDAxMDEwMDAwMDBaFw0yNDAyMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxv
            Y2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFj3fwEMLAqpEihnC2f9
            cK7LsxJIBBrwLuMyyVRK1/AoTG7L+zeh7oioqqljLySNc4R3eCabwuxeZZ1kK0Ob
            NAOjPTA7MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUbELV
            Tg39gcQNbMdGGowEfwqAkxswCgYIKoZIzj0EAwIDSAAwRQIhAIYk/6Z8Oo0cFCHS
            hDmZvnz+a9+O8IUkSws/uZMP8tzIAiAfIrBbDA4rjePLyNzh8Wupqsej41s1nWla
            0vHhQSiotQ==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjUNsXb0uNsz9e6QH
            UdxhKk1lgFf3diLnmmdIG2rtCsqhRANCAARY938BDCwKqRIoZwtn/XCuy7MSSAQa
            8C7jMslUStfwKExuy/s3oe6IqKqpYy8kjXOEd3gmm8LsXmWdZCtDmzQD
            -----END PRIVATE KEY-----
            """)

    /// RSA with 1024 bits, and signed by SHA-1.
    static let weak = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIICBjCCAW+gAwIBAgIUSdHH5BD5IhJ62Ro0d6czoxI1FMAwDQYJKoZIhvcNAQEF
            BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDAzMTEwOFoYDzIxMjYx
            MTA2MDMxMTA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEB
            BQADgY0AMIGJAoGBAKvc3qp/IZqYSPEhnt+LG7sy/x7BJ+TN/VZb5IZwX6M3zqG0
            5tExmYBLe8BC1jnzeCN0b5FzeUv6G5lctlXhG4TknjBpG73de9rJcFkGCUEQQo3k
            vfX5O6c+aSukJOw95eRLGceHFEwY52B5W7/7qe4E5L95qGhgHe9ykWGOvGLXAgMB
            AAGjUzBRMB0GA1UdDgQWBBRWCL6tLNrSiMFbijOUd6fePNIUiDAfBgNVHSMEGDAW
            gBRWCL6tLNrSiMFbijOUd6fePNIUiDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3
            DQEBBQUAA4GBAJJQF59ICH4erUClA0kfgA5lkSd5Q/jHKIe5kzsXOZXWP7b1VmJg
            inetlTbZhbKDfcCgD3A1sBTqGT3UcjK52m1ezM4OJhaZGW8hivsjaNoXCfeNDAH2
            XZC05GJlrQCQBhG1g1aRLdWVhHNfZR+32wWTDKFU6BCCH/HdpmJIaTAm
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAKvc3qp/IZqYSPEh
            nt+LG7sy/x7BJ+TN/VZb5IZwX6M3zqG05tExmYBLe8BC1jnzeCN0b5FzeUv6G5lc
            tlXhG4TknjBpG73de9rJcFkGCUEQQo3kvfX5O6c+aSukJOw95eRLGceHFEwY52B5
            W7/7qe4E5L95qGhgHe9ykWGOvGLXAgMBAAECgYBmT+PC7lIr/XKXEmPJQsAsjmxw
            e57rSHIDwkrmeemFekip3c73RKbUSJuQVnnAICAqQzvUBEF2qJtbjmUB9TPyzGCP
            o9zcA0cOO37U2D5HvnAOMaubrvgZea099FxXynEFV+5m3Q978BYDAP7PHK0+k6DK
            EoTXJZdk5dHsXStWCQJBANj1PK9utL4lVSM3ZJDroeGYRB9WbvxhdtzGI5X9BUO+
            C/rB87Qo/FkeXtHc84BhSp70MmpfnotlLSe0QIpKKN0CQQDKyjMPuk3QjyiEZ1fR
            qM5cpLuhIh+HCmMuv0FXKiOFs7TZTEskp4zTwJ0VvNTKup/WCrUaXg6CFpRrRcjy
            fuVDAkAQjWU73S5c82wza554kAGhvIQ1/9on1yfCYDuGze8A5Bb14qY9MINQKUkC
            qeDKAqI2zlqqUvE9oVJ4nP/vjQjhAkEApg+MXs2+WRJSKJKD7JFiY6UWbO4HiUrt
            S2OcuycrrZoqd2MtiZeXD/QD7sASNO08ZEeiZDQvh0G8Slf8JO/bBwJBAKjYHqA/
            cbatcGh8IKjhYyViLkAJ4tOn91i+D2YcIdsCo+ovuvSs7hC0Mkok7lVA3kgrNDu3
            DLgTpn1gSytK5hM=
            -----END PRIVATE KEY-----
            """)
}
