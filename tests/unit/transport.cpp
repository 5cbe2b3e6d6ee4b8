// URLs as shared caches have them: what is fine is read into its parts, what could be read in two ways is refused.
#include "server/transport/url.h"
#include "tests/unit/catch.h"

namespace tilewright::transport {
namespace {

TEST_CASE("an address is read into its parts") {
  auto whole = read_url("HTTPS://Cache.Example.COM:8443/a/b-c_~d/");
  REQUIRE(whole);
  CHECK(whole->tls);
  CHECK(whole->host == "cache.example.com");
  CHECK(whole->port == 8443);
  CHECK(whole->path == "/a/b-c_~d");
  CHECK(whole->authority() == "cache.example.com:8443");
  CHECK(!whole->is_loopback());
  CHECK(read_url("https://h")->port == 443);
  CHECK(read_url("http://h")->port == 80);
  CHECK(read_url("http://h")->path.empty());
  CHECK(read_url("http://h:80/")->authority() == "h");
  CHECK(read_url("http://[::1]:8080/x")->authority() == "[::1]:8080");
  CHECK(read_url("http://h/a%C3%A4b")->path == "/a%C3%A4b");
}

TEST_CASE("this machine is a number of its own or localhost") {
  for (const char* here :
       {"http://localhost/", "http://LOCALHOST:1/", "http://127.0.0.1/", "http://127.9.9.9/", "http://[::1]/"}) {
    INFO(here);
    CHECK(read_url(here)->is_loopback());
  }
  for (const char* there : {"http://127.0.0.1.example/", "http://localhost.example/", "http://128.0.0.1/",
                            "http://[::2]/", "http://127-0-0-1.example/", "http://localhostx/"}) {
    INFO(there);
    CHECK(!read_url(there)->is_loopback());
  }
}

TEST_CASE("what could be read in two ways is refused") {
  for (const char* bad : {"",
                          "host:80",
                          "ftp://h/",
                          "file:///x",
                          "http:/h",
                          "http://",
                          "http:///x",
                          "http://u@h/",
                          "http://u:p@h/",
                          "http://127.0.0.1@h/",
                          "http://h:/",
                          "http://h:0/",
                          "http://h:65536/",
                          "http://h:x/",
                          "http://h:80:80/",
                          "http://h?x",
                          "http://h/?x",
                          "http://h/#x",
                          "http://h\\x/",
                          "http://h/\\x",
                          "http://h /",
                          "http://h/a b",
                          "http://h/a\nb",
                          "http://h/../x",
                          "http://h/a/..",
                          "http://h/./x",
                          "http://h//x",
                          "http://h/x//",
                          "http://h/%2fx",
                          "http://h/%2E%2e/x",
                          "http://h/%5c",
                          "http://h/%00",
                          "http://h/%0a",
                          "http://h/%zz",
                          "http://h/%2",
                          "http://h/%25",
                          "http://127.1/",
                          "http://2130706433/",
                          "http://0x7f.1/",
                          "http://127.0.0.1./",
                          "http://-h/",
                          "http://.h/",
                          "http://a..b/",
                          "http://[::1/",
                          "http://[::1]x/",
                          "http://[x]/",
                          "http://h\xc3\xa4/",
                          "http://h\x01/"}) {
    INFO(bad);
    CHECK(!read_url(bad));
  }
}

}  // namespace
}  // namespace tilewright::transport
