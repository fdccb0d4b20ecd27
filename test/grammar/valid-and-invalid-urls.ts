/** Texts that a production must accept, and texts that it must reject. */
interface KnownTexts {
  readonly validTexts: readonly string[];
  readonly invalidTexts: readonly string[];
}

/**
 * The known texts by production. The texts come from RFC 1738 §3, its Appendix and References, and from variations of
 * these.
 */
export const VALID_AND_INVALID_URLS: Readonly<Record<string, KnownTexts>> = {
  ftpurl: {
    validTexts: [
      "ftp://@host.com/",
      "ftp://host.com/",
      "ftp://foo:@host.com/",
      "ftp://:pw@host.com/",
      "ftp://myname@host.dom/%2Fetc/motd",
      "ftp://myname@host.dom/etc/motd",
      "ftp://myname@host.dom//etc/motd",
      "ftp://info.cern.ch/pub/www/doc;type=d",
      "ftp://ds.internic.net/rfc",
      "ftp://ds.internic.net/rfc/rfc1436.txt;type=a",
      "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
      "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
      "FTP://127.0.0.1:00021",
      "ftp://good.dom?@evil.dom/",
      "ftp://h/;type=i",
    ],
    invalidTexts: [
      "ftp:/host.com/",
      "ftp://",
      "ftp:///x",
      "ftp://a@b@h/",
      "ftp://h/a;b",
      "ftp://h/;type=x",
      "ftp://h/;TYPE=a",
      "ftp://h/;type=a;type=i",
      "ftp://h;type=a",
      "ftp://256.0.0.1/",
      "ftp://127.1/",
      "ftp://1.2.3.4.5/",
      "ftp://0x7f.1/",
      "ftp://h.1a/",
      "ftp://-h/",
      "ftp://h-/",
      "ftp://h./",
      "ftp://a_b/",
      "ftp://%68/",
      "ftp://h:/",
      "ftp://h:65536/",
      "ftp://h/%2",
      "ftp://h/~x",
    ],
  },
  httpurl: {
    validTexts: [
      "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html",
      "http://ds.internic.net/instructions/overview.html",
      "http://host.dom:80/path?searchpart",
      "http://h",
      "http://h/",
      "http://h/?",
      "http://h/a;b=c?d;e=f",
    ],
    invalidTexts: [
      "http://ds.internic.net/instructions/overview.html#WARNING",
      "http://h?q",
      "http://u@h/",
      "http://h/a?b?c",
      "http://h/a?b/c",
      "https://h/",
    ],
  },
  httpsurl: { validTexts: ["https://h/a?b"], invalidTexts: ["http://h/a?b"] },
  gopherurl: {
    validTexts: [
      "gopher://host.dom:70/0selector",
      "gopher://host.dom/7selector%09search",
      "gopher://h/0x%09%09+application/postscript%20Es_ES",
      "gopher://h/0x%09%09!+ABSTRACT%20+SMELL",
      "gopher://h/0x%09%09+%091%0D%0A+-1%0D%0Avalue%0D%0A.%0D%0A",
      "gopher://h",
      "gopher://h/",
      "gopher://h//x",
      "gopher://h/%31x",
      "gopher://h/7x%09what?/",
    ],
    invalidTexts: [
      "gopher://h?x",
      "gopher://u@h/",
      "gopher:/h",
      "gopher://h/0 x",
      "gopher://h/%0",
      "gopher://h/0\t",
    ],
  },
  gophersurl: { validTexts: ["gophers://h/1"], invalidTexts: ["gopher://h/1"] },
  mailtourl: {
    validTexts: ["mailto:timbl@info.cern.ch", "mailto:user%25host@gateway.dom", "mailto:a", "MailTo:?/@"],
    invalidTexts: ["mailto:", "mailto:user%host@gateway.dom", "mailto:a b", "mailto:<a@b>"],
  },
  newsurl: {
    validTexts: [
      "news:comp.infosystems.www.misc",
      "news:*",
      "news:unique@full.domain.name",
      "news://h/x@y",
      "news:a..b",
      "news:%3C@h",
      "news:alt.c++_x-y",
    ],
    invalidTexts: [
      "news:",
      "news:9fans",
      "news:*.x",
      "news:a@b@c",
      "news:a@",
      "news:@h",
      "news:comp.%61",
      "news:a/b",
    ],
  },
  nntpurl: {
    validTexts: ["nntp://host.dom:119/comp.infosystems.www.misc/4711", "nntp://h/a", "nntp://h/a/0"],
    invalidTexts: ["nntp://h", "nntp://h/", "nntp://h/*", "nntp://h/a/", "nntp://h/a/x", "nntp://u@h/a/1"],
  },
  telneturl: {
    validTexts: ["telnet://user:password@host.dom:23/", "telnet://user@h", "telnet://h", "telnet://h/"],
    invalidTexts: ["telnet:h", "telnet://h/x", "telnet://h//", "telnet://"],
  },
  waisurl: {
    validTexts: [
      "wais://host.dom:210/database",
      "wais://h/database?search",
      "wais://h/database/wtype/wpath",
      "wais://h/",
      "wais://h/?",
      "wais://h///",
    ],
    invalidTexts: ["wais://h", "wais://h/d/t", "wais://h/d/t/p/q", "wais://h/d/t/1=x;2=y", "wais://h/d?a?b"],
  },
  fileurl: {
    validTexts: [
      "file://vms.host.edu/disk$user/my/notes/note12345.txt",
      "file:///etc/motd",
      "file://localhost/",
      "file://LocalHost/x",
      "file://10.0.0.1/x",
    ],
    invalidTexts: [
      "file:/x",
      "file://h",
      "file://",
      "file://h:21/x",
      "file://u@h/x",
      "file:///a;b",
      "file://10.1/",
    ],
  },
  prosperourl: {
    validTexts: [
      "prospero://host.dom//pros/name",
      "prospero://host.dom:1525//pros/name;OBJECT-VERSION=2",
      "prospero://h/",
      "prospero://h/x;=;a=&b",
    ],
    invalidTexts: [
      "prospero://h",
      "prospero://h/x;a",
      "prospero://h/x;a=b/c",
      "prospero://h/x;a=b=c",
      "prospero://u@h/x",
    ],
  },
  genericurl: {
    validTexts: ["x:", "9p:x", "+.-:", "x-tra:anything", "x://a@b@;/", "Z39.50r://h:210/d"],
    invalidTexts: ["", ":", "x", "x_y:z", "x y:z", "x:^", "x:%zz", "x:é"],
  },
};
